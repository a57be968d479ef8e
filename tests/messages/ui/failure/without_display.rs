use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(NOT_FOUND)]
    Lost,
}

fn main() {}
