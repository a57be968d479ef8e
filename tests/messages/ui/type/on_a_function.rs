use tool_runtime::prelude::*;

/// A note.
#[ai_type]
fn note() {}

fn main() {}
