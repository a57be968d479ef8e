use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}

    /// Lists too.
    #[ai_tool(effect = "read", name = "list")]
    fn again(&self) {}
}

fn main() {}
