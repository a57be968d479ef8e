#![allow(unused)]

use tool_runtime::prelude::*;

/// Pays.
#[ai_tool(effect = "write")]
fn pay(
    dry_run: &DryRun,
    /// The amount.
    #[arg(spends)]
    amount: f64,
) {}

fn main() {}
