use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Adds one.
    #[ai_tool(effect = "write", forwards_key)]
    fn add(&self, _: &DryRun) {}
}

fn main() {}
