#![allow(unused)]

use tool_runtime::prelude::*;

trait Source {}

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    source: &(dyn Source + Send),
) {}

fn main() {}
