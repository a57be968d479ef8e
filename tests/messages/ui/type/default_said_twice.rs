use tool_runtime::prelude::*;

/// A note.
#[ai_type]
struct Note {
    /// Text.
    #[serde(default)]
    #[arg(default = "x")]
    text: String,
}

fn main() {}
