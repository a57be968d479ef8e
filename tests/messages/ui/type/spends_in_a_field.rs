#![allow(unused)]

use tool_runtime::prelude::*;

/// A bill.
#[ai_type]
struct Bill {
    /// The amount.
    #[arg(spends = "EUR")]
    amount: String,
}

fn main() {}
