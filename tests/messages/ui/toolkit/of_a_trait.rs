use tool_runtime::prelude::*;

struct Notes;

trait List {
    fn list(&self);
}

/// Keeps notes.
#[ai_toolkit]
impl List for Notes {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}
}

fn main() {}
