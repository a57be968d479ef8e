use tool_runtime::prelude::*;

/// A note.
#[ai_type(serialize_only, deserialize_only)]
struct Note {
    /// Text.
    text: String,
}

fn main() {}
