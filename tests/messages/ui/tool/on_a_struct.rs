use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
struct Search;

fn main() {}
