//! A strict JSON parser that keeps the position of every value (one pass, one flat list of nodes), and a
//! fast writer.

mod comparison_key;
mod differences;
mod duplicates;
mod equal;
mod lone_surrogates;
mod malformed;
mod members;
mod number;
mod pointer;
pub mod reader;
mod scan;
mod shallow;
pub mod text;
mod tree;
mod value_count;
pub mod writer;

pub use comparison_key::comparison_key;
pub use differences::differences;
pub use equal::equal;
pub use equal::{equals_value, first_repeat};
pub use lone_surrogates::{read_with_lone_surrogates, unescape_pairs};
pub use malformed::Malformed;
pub use members::removed_members;
pub use number::Decimal;
pub use number::fits_64_bits;
pub use pointer::{OpaqueNodes, pointer, push_name};
pub use reader::read;
pub use scan::special;
pub use shallow::ShallowJson;
pub use shallow::ShallowScan;

pub use tool_contracts::portable::from_bytes;
pub use tool_contracts::portable::insert;
pub use tool_contracts::portable::normalized_object;
pub use tool_contracts::portable::{from_text, from_value, normalized, read as read_seed};
pub use tree::{DuplicateKey, JsonKind, JsonNode, JsonTree, JsonView};
pub use value_count::value_count;

#[cfg(test)]
mod tests;
