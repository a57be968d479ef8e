#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(secret, example = "x")]
    words: String,
) {}

fn main() {}
