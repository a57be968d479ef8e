use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", blocking)]
async fn search() {}

fn main() {}
