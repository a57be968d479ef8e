use tool_runtime::prelude::*;

struct Notes;

struct Other;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    /// Lists.
    #[ai_tool(effect = "read")]
    fn list(&self) {}
}

fn main() {
    let _ = Runtime::builder().toolkit(Other);
}
