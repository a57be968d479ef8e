#![allow(unused)]

use tool_runtime::prelude::*;

struct Hit;

/// Searches.
#[ai_tool(effect = "read")]
fn search() -> Vec<Hit> {
    Vec::new()
}

fn main() {}
