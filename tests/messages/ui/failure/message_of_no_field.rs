use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(NOT_FOUND, message = "no {nmae}")]
    Lost { name: String },
}

fn main() {}
