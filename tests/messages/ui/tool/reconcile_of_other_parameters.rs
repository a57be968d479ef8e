use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", reconcile = find)]
fn save(
    _: &DryRun,
    /// What.
    text: &str,
) -> u32 {
    let _ = text;
    1
}

fn find(text: &str) -> tool_runtime::Reconciled<u32> {
    let _ = text;
    tool_runtime::Reconciled::Unknown
}

fn main() {}
