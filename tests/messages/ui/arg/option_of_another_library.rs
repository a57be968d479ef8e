#![allow(unused)]

use tool_runtime::prelude::*;

/// Searches.
#[ai_tool(effect = "read", description = "Searches.")]
fn search(
    /// The number of items.
    #[arg(min = 1)]
    limit: u32,
) {}

fn main() {}
