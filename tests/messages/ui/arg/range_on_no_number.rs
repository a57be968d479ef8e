#![allow(unused)]

use tool_runtime::prelude::*;

/// Words.
#[ai_type]
struct Words;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(range(1..=5))]
    words: Words,
) {}

fn main() {}
