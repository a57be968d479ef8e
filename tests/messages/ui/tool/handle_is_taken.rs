use tool_runtime::prelude::*;

struct Search;

/// Does it.
#[ai_tool(effect = "read")]
fn search() {}

fn main() {}
