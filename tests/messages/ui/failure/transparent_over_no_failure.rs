use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(transparent)]
    Lost(std::io::Error),
}

fn main() {}
