use tool_runtime::prelude::*;

/// A note.
#[ai_type(opne)]
struct Note {
    /// Text.
    text: String,
}

fn main() {}
