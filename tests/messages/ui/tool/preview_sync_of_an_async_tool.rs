#![allow(unused)]

use tool_runtime::prelude::*;

/// Saves.
#[ai_tool(effect = "write", preview = show)]
async fn save() -> String {
    String::new()
}

struct Shown;

fn show() -> Shown {
    Shown
}

fn main() {}
