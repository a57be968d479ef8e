#![allow(unused)]

use tool_runtime::prelude::*;

struct Hit;

/// Searches.
#[ai_tool(effect = "read")]
fn search(
    /// The hits.
    hits: Vec<Hit>,
) {}

fn main() {}
