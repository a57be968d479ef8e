use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search<T>() {}

fn main() {}
