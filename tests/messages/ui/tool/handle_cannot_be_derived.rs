use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn _1() {}

fn main() {}
