#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    words: fn(),
) {}

fn main() {}
