use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Lists.
    #[ai_tool]
    fn list(&self) {}
}

fn main() {}
