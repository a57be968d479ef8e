use tool_runtime::testing::assert_tool;

struct Counter;

impl Counter {
    fn count(&self) -> u64 {
        7
    }
}

fn main() {
    assert_tool!(Counter::count);
    let _ = Counter.count();
}
