#![allow(unused)]

use tool_runtime::prelude::*;

/// Asks an expert.
#[ai_tool(effect = "write", cost = "0.02")]
fn ask(dry_run: &DryRun) {}

/// Asks two experts.
#[ai_tool(effect = "write", cost = 0.04)]
fn ask_two(dry_run: &DryRun) {}

fn main() {}
