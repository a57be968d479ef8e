#![allow(unused)]

use tool_runtime::Registry;
use tool_runtime::prelude::*;

/// Not a ledger.
struct Book;

fn main() {
    let _ = Runtime::builder().ledger(&Book).build();
    let _ = Runtime::builder().evidence("vault").build();
    let _ = Registry::new().search("tea", 3);
}
