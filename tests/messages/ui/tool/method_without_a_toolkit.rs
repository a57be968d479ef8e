use tool_runtime::prelude::*;

struct Search;

impl Search {
    /// Does it.
    #[ai_tool(effect = "read")]
    fn search(&self) {}
}

fn main() {}
