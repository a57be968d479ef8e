use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", timeout = "5")]
fn search() {}

fn main() {}
