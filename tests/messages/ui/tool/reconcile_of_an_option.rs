use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", reconcile = find)]
fn save(_: &DryRun) -> u32 {
    1
}

fn find(_: &DryRun) -> Option<u32> {
    None
}

fn main() {}
