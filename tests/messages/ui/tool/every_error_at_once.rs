#![allow(unused)]

use tool_runtime::prelude::*;

#[ai_tool(efect = "read", timeout = "5", version = "1")]
fn search(
    text: &str,
    (a, b): (u8, u8),
) {}

fn main() {}
