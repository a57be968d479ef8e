use tool_runtime::testing::assert_tool;

fn count() -> u64 {
    7
}

fn main() {
    assert_tool!(count);
    let _ = count();
}
