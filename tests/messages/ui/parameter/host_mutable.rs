#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    index: &mut Vec<u8>,
) {}

fn main() {}
