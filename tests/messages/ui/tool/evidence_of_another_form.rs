use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", evidence = "always")]
fn search() {}

fn main() {}
