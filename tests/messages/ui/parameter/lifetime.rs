#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Words.
    words: std::borrow::Cow<'_, str>,
) {}

fn main() {}
