use tool_runtime::prelude::*;

#[derive(Debug, ToolFailure)]
#[failure(CONFLICT, message = "no")]
struct Inner;

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(transparent, effect = "none")]
    Lost(Inner),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("trouble")
    }
}

fn main() {}
