#![allow(unused)]

use tool_runtime::prelude::*;

/// Pays.
#[ai_tool(effect = "write")]
fn pay(
    dry_run: &DryRun,
    /// The amount.
    #[arg(minor_units)]
    cents: u32,
    /// A tip.
    #[arg(spends(currency), minor_units)]
    tip: u32,
    /// The currency of the tip.
    currency: String,
) {}

fn main() {}
