use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "raed")]
fn search() {}

fn main() {}
