#![allow(unused)]

use tool_runtime::prelude::*;

struct Words;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    words: Words,
) {}

fn main() {}
