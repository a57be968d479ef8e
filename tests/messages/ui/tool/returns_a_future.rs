#![allow(unused)]

use tool_runtime::prelude::*;

/// Counts.
#[ai_tool(effect = "read")]
fn count() -> impl Future<Output = u32> {
    async { 1 }
}

fn main() {}
