use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read" name = "a")]
fn search() {}

fn main() {}
