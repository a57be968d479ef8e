use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", forwards_key)]
fn search(_: &Idempotency) {}

fn main() {}
