use tool_runtime::prelude::*;

fn search() {}

struct Search;

fn main() {
    let _ = Runtime::builder().tool::<Search>();
    search();
}
