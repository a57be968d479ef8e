use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", ttl = "5s")]
fn save(_: &DryRun) {}

fn main() {}
