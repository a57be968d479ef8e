use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write")]
fn save(_: &ToolContext) {}

fn main() {}
