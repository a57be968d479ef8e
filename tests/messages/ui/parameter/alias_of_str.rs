#![allow(unused)]

use tool_runtime::prelude::*;

type Text = str;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    words: &Text,
) {}

fn main() {}
