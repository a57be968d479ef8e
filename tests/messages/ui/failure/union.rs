use tool_runtime::prelude::*;

#[derive(ToolFailure)]
union Trouble {
    a: u8,
}

fn main() {}
