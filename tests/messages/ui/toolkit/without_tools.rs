use tool_runtime::prelude::*;

struct Notes;

/// Keeps notes.
#[ai_toolkit]
impl Notes {
    fn list(&self) {}
}

fn main() {}
