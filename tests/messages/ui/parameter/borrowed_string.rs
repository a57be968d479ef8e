#![allow(unused)]

use tool_runtime::prelude::*;

/// Searches.
#[ai_tool(effect = "read")]
fn search(
    query: &String,
) {}

fn main() {}
