#![allow(unused)]

use tool_runtime::prelude::*;

/// Searches.
#[ai_tool(effect = "read", description = "Searches.")]
fn search(
    /// How many.
    #[arg(min = 1)]
    limit: u32,
) {}

fn main() {}
