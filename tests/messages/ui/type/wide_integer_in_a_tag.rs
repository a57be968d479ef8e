use std::collections::LinkedList;

use tool_runtime::prelude::*;

/// A balance.
#[ai_type]
#[serde(tag = "kind")]
enum Balance {
    /// In cents.
    Cents {
        /// The number of cents.
        cents: i128,
    },
    /// Two accounts.
    Pair {
        /// The cents of both.
        both: [Option<u128>; 2],
        /// The account and its cents.
        named: Vec<(String, i128)>,
    },
    /// Many accounts.
    Many {
        /// The cents of each.
        each: LinkedList<i128>,
        /// The cents outside of tests.
        #[cfg(not(test))]
        untested: u128,
        /// An amount in cents.
        #[cfg(test)]
        absent: NoSuchType,
    },
}

fn main() {}
