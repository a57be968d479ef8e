#![allow(unused)]

use tool_runtime::Registry;
use tool_runtime::prelude::*;

fn main() {
    let _ = Runtime::builder().ledger(&"ledger").build();
    let _ = Runtime::builder().evidence("vault").build();
    let _ = Registry::new().search("tea", 3);
}
