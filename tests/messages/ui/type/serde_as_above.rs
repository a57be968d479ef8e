extern crate self as serde_with;

pub use std::clone::Clone as __private_consume_serde_as_attributes;

use tool_runtime::prelude::*;

/// A stay, as `#[serde_as]` above `#[ai_type]` leaves it.
#[ai_type]
#[derive(::serde_with::__private_consume_serde_as_attributes)]
struct Stay {
    /// The number of nights.
    nights: u8,
}

fn main() {}
