use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(NOT_FOUND, message = "no {1}")]
    Lost(String),
}

fn main() {}
