use tool_runtime::prelude::*;

trait Search {
    /// Does it.
    #[ai_tool(effect = "read")]
    fn search();
}

fn main() {}
