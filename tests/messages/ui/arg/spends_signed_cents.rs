#![allow(unused)]

use tool_runtime::prelude::*;

/// Pays.
#[ai_tool(effect = "write")]
fn pay(
    dry_run: &DryRun,
    /// The amount.
    #[arg(spends = "EUR", minor_units)]
    cents: i64,
) {}

fn main() {}
