use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", title = " ")]
fn search() {}

fn main() {}
