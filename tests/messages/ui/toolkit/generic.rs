use tool_runtime::prelude::*;

struct Notes<T>(T);

/// Keeps notes.
#[ai_toolkit]
impl<T> Notes<T> {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}
}

fn main() {}
