#![allow(unused)]

use std::fmt::Display;

use tool_runtime::prelude::*;

/// Returns the time.
#[ai_tool(effect = "read")]
fn time() -> impl Display {
    12
}

/// Returns the date.
#[ai_tool(effect = "read")]
async fn date() -> Result<impl Display, Failure> {
    Ok(12)
}

fn main() {}
