use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", handle = a::B)]
fn search() {}

fn main() {}
