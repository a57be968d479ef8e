use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
unsafe fn search() {}

fn main() {}
