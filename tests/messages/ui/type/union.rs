use tool_runtime::prelude::*;

/// A note.
#[ai_type]
union Note {
    a: u8,
    b: i8,
}

fn main() {}
