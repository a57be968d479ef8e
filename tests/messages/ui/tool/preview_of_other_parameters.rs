#![allow(unused)]

use tool_runtime::prelude::*;

/// Saves.
#[ai_tool(effect = "write", preview = show)]
async fn save(
    /// The number of copies.
    copies: u32,
) -> String {
    String::new()
}

async fn show(copies: String) -> String {
    copies
}

fn main() {}
