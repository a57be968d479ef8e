#![allow(unused)]

use tool_runtime::prelude::*;

/// Sends.
#[ai_tool(effect = "read")]
fn send() {}

fn main() {
    let _ = Runtime::builder().tool::<send>();
}
