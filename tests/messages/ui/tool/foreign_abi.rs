use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
extern "C" fn search() {}

fn main() {}
