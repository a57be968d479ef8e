use tool_runtime::prelude::*;

/// Does it.
#[ai_tool()]
fn search() {}

fn main() {}
