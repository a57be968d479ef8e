#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(default)]
    #[arg(range(1..))]
    words: u32,
) {}

fn main() {}
