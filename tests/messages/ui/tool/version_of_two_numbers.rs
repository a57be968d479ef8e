use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", version = "1.0")]
fn search() {}

fn main() {}
