use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search() -> *const u8 {
    std::ptr::null()
}

fn main() {}
