use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Adds one.
    #[ai_tool(effect = "write", reconcile = find)]
    fn add(&self, _: &DryRun) -> String {
        String::new()
    }

    fn find(&self, _: &DryRun) -> tool_runtime::Reconciled<u32> {
        tool_runtime::Reconciled::DidNotHappen
    }
}

fn main() {}
