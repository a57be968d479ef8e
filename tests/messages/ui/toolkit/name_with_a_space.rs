use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit(name = "my notes")]
impl Notes {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}
}

fn main() {}
