#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The number of hits.
    #[arg(default = "x")]
    hits: u8,
    /// The words.
    #[arg(default = 5)]
    words: String,
    /// The tags.
    #[arg(default = "tea")]
    tags: Vec<String>,
    /// The flag.
    #[arg(example = "yes")]
    exact: bool,
    /// The letter.
    #[arg(default = "a")]
    letter: char,
    /// The count.
    #[arg(default = 1.5)]
    count: i64,
) {}

fn main() {}
