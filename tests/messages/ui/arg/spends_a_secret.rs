#![allow(unused)]

use tool_runtime::prelude::*;

/// Pays.
#[ai_tool(effect = "write")]
fn pay(
    dry_run: &DryRun,
    /// The amount.
    #[arg(secret, spends = "EUR", minor_units)]
    cents: u32,
) {}

fn main() {}
