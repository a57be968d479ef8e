use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", name = "search content")]
fn search() {}

fn main() {}
