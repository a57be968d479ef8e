use tool_runtime::testing::assert_tool;

fn main() {
    assert_tool!();
}
