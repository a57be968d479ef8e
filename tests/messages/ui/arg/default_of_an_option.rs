#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The words.
    #[arg(default = "tea")]
    words: Option<String>,
    /// The number of hits.
    #[arg(default = 5)]
    hits: Option<u32>,
) {}

fn main() {}
