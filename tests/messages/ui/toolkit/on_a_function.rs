use tool_runtime::prelude::*;

/// Keeps notes.
#[ai_toolkit]
fn notes() {}

fn main() {}
