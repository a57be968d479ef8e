use tool_runtime::prelude::*;

/// A note.
#[ai_type]
#[derive(Debug, serde::Serialize)]
struct Note {
    /// Text.
    text: String,
}

fn main() {}
