use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", shared)]
fn search() {}

fn main() {}
