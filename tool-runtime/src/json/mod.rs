//! A strict JSON parser that keeps the position of every value (one pass, one flat list of nodes), and a
//! fast writer.

mod duplicates;
mod equal;
mod malformed;
mod number;
mod pointer;
pub(crate) mod reader;
mod scan;
pub(crate) mod text;
mod tree;
pub(crate) mod writer;

pub(crate) use equal::{equals_value, first_repeat};
pub use malformed::Malformed;
pub(crate) use number::Decimal;
pub(crate) use pointer::{pointer, push_name};
pub(crate) use reader::read;
#[cfg(feature = "adapters")]
pub(crate) use reader::read_with_halves;
#[cfg(feature = "canonical")]
pub(crate) use scan::special;
#[cfg(feature = "adapters")]
pub(crate) use text::unescape_whole;

pub(crate) use tree::{DuplicateKey, JsonKind, JsonNode, JsonTree, JsonView};

#[cfg(test)]
mod tests;
