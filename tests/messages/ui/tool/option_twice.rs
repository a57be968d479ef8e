use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", name = "a", name = "b")]
fn search() {}

fn main() {}
