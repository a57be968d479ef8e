use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", verison = "1.0.0")]
fn search() {}

fn main() {}
