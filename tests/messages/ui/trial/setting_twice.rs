use tool_runtime::prelude::*;
use tool_runtime::testing::assert_tool;

/// Counts.
#[ai_tool(effect = "read")]
fn count() -> u64 {
    7
}

fn main() {
    assert_tool!(count, seed = 1, seed = 2);
}
