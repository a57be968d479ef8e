use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
#[failure(NOT_FOUND)]
enum Trouble {
    #[failure(NOT_FOUND)]
    Lost,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("trouble")
    }
}

fn main() {}
