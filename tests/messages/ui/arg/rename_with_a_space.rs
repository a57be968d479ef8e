#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    #[arg(rename = "my words")]
    words: String,
) {}

fn main() {}
