use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", unknown_fields = "keep")]
fn search() {}

fn main() {}
