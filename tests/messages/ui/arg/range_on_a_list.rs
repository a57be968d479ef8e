#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The shares.
    #[arg(length(1..=5), range(0..=100))]
    shares: Vec<u8>,
) {}

fn main() {}
