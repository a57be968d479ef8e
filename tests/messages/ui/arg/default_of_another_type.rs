#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The separator.
    #[arg(default = "ten")]
    separator: char,
) {}

fn main() {}
