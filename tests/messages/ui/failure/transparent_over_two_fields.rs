use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(transparent)]
    Lost(u8, u8),
}

fn main() {}
