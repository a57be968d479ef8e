use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", destructive)]
fn search() {}

fn main() {}
