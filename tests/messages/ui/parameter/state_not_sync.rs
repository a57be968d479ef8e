#![allow(unused)]

use tool_runtime::prelude::*;

struct Counter(*const u8);

/// Counts.
#[ai_tool(effect = "read")]
async fn count(
    counter: &Counter,
) -> u32 {
    1
}

fn main() {}
