use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", retries = 3)]
fn search() {}

fn main() {}
