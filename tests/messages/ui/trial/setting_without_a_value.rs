use tool_runtime::prelude::*;
use tool_runtime::testing::assert_tool;

/// Counts.
#[ai_tool(effect = "read")]
fn count(start: &u64) -> u64 {
    *start
}

fn main() {
    assert_tool!(count, 7_u64);
}
