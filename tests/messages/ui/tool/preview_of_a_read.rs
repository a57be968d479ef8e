use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", preview = look)]
fn search() {}

fn look() {}

fn main() {}
