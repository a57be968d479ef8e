use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "pure")]
fn search() {}

fn main() {}
