use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "write", reconcile = find)]
async fn save(_: &DryRun) -> Result<String, Failure> {
    Ok(String::new())
}

async fn find(_: &DryRun) -> Result<tool_runtime::Reconciled<u32>, Failure> {
    Ok(tool_runtime::Reconciled::DidNotHappen)
}

fn main() {}
