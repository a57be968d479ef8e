use tool_runtime::prelude::*;

struct SearchTool;

/// Does it.
#[ai_tool(effect = "read")]
fn search() {}

fn main() {}
