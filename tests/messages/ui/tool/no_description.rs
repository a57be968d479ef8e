use tool_runtime::prelude::*;

#[ai_tool(effect = "read")]
fn search() {}

fn main() {}
