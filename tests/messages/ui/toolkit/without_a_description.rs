use tool_runtime::prelude::*;

struct Notes;

#[ai_toolkit]
impl Notes {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}
}

fn main() {}
