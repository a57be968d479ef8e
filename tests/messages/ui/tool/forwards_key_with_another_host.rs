use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", forwards_key)]
fn save(_: &DryRun, _: &ToolContext) {}

fn main() {}
