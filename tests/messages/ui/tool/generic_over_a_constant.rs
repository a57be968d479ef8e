use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search<const N: usize>() {}

fn main() {}
