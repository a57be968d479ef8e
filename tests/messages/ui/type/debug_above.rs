use tool_runtime::prelude::*;

/// A login.
#[derive(Debug)]
#[ai_type]
struct Login {
    /// By what.
    #[arg(secret)]
    pin: String,
}

fn main() {}
