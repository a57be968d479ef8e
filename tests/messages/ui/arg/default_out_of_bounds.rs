#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// The number of hits.
    #[arg(default = 99, range(1..=5))]
    hits: u32,
    /// The weight.
    #[arg(example = -0.5, range(0.0..))]
    weight: f64,
    /// The code.
    #[arg(default = "tea", length(..3))]
    code: &str,
) {}

/// The options.
#[ai_type]
struct Options {
    /// The page.
    #[arg(default = 5, range(1..5))]
    page: u32,
}

fn main() {}
