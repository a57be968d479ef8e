use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", idempotent)]
fn search() {}

fn main() {}
