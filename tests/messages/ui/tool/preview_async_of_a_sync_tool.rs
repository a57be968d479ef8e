#![allow(unused)]

use tool_runtime::prelude::*;

/// Saves.
#[ai_tool(effect = "write", preview = show)]
fn save() -> String {
    String::new()
}

async fn show() -> String {
    String::new()
}

fn main() {}
