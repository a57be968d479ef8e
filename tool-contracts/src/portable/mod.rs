//! JSON that is the same in every build.
//!
//! Any crate of a build may turn on features of `serde_json` that change what its types mean:
//! `preserve_order` keeps the order in which names were added to an object, and
//! `arbitrary_precision` keeps the text of a number. What this project reads and writes must not
//! depend on either. For the crates of the project; it has no stability guarantee.

mod numbers;
mod order;
mod precision;

pub(crate) use self::numbers::read_any;
pub use self::{
    numbers::{from_bytes, from_text, from_value, read},
    order::{insert, normalized, normalized_object},
};
