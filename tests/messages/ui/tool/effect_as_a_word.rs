use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(read)]
fn search() {}

fn main() {}
