#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    cell: &std::cell::Cell<u8>,
) {}

fn main() {}
