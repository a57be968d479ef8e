#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(secret, default = "x")]
    words: String,
) {}

fn main() {}
