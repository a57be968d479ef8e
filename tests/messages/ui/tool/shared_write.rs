use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", shared)]
fn save(_: &DryRun) {}

fn main() {}
