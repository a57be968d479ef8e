use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read", retention = "48h")]
fn search() {}

fn main() {}
