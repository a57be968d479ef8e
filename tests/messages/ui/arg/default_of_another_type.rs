#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The weight.
    #[arg(default = "ten")]
    weight: f64,
) {}

fn main() {}
