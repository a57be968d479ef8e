use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Lists.
    #[ai_tool(effect = "read", crate = tool_runtime)]
    fn list(&self) {}
}

fn main() {}
