use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble<T> {
    #[failure(transparent)]
    Lost(T),
}

fn main() {}
