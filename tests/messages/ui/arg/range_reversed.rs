#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(range(50..=1))]
    words: u32,
) {}

fn main() {}
