use tool_runtime::prelude::*;

/// A note.
#[ai_type]
struct Note {
    /// A size.
    #[arg(length(1..))]
    size: u8,
}

fn main() {}
