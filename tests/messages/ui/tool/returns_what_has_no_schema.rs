use tool_runtime::prelude::*;

struct Hit;

/// Does it.
#[ai_tool(effect = "read")]
fn search() -> Hit {
    Hit
}

fn main() {}
