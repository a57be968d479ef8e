#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    #[arg(default)]
    cx: &ToolContext,
) {}

fn main() {}
