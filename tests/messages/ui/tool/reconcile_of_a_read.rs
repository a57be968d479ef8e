use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", reconcile = find)]
fn search() {}

fn find() {}

fn main() {}
