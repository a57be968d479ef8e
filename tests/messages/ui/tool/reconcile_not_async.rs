use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", reconcile = find)]
async fn save(_: &DryRun) -> u32 {
    1
}

fn find(_: &DryRun) -> tool_runtime::Reconciled<u32> {
    tool_runtime::Reconciled::Unknown
}

fn main() {}
