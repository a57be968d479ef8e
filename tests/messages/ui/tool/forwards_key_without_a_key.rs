use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", preview = show, forwards_key)]
fn save() {}

fn show() {}

fn main() {}
