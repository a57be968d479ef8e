#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(reed)]
fn search() {}

fn main() {}
