use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", retention = "23h")]
fn save(_: &DryRun) {}

fn main() {}
