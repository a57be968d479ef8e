#![allow(unused)]

use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;
use tool_runtime::tokens::ExactTokens;
use tool_runtime::trace::TraceHeaders;

fn main() {
    let _ = Runtime::builder().build().unwrap().bridge("openai");
}
