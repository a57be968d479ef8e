//! A strict JSON parser that keeps the position of every value (one pass, one flat list of nodes), and a
//! fast writer.

mod comparison_key;
mod differences;
mod duplicates;
mod equal;
#[cfg(feature = "adapters")]
mod lone_surrogates;
mod malformed;
mod members;
mod number;
mod pointer;
pub(crate) mod reader;
mod scan;
#[cfg(any(feature = "mcp", feature = "mcp-client"))]
#[cfg_attr(not(feature = "mcp-client"), allow(dead_code, reason = "servers read the id alone"))]
mod shallow;
pub(crate) mod text;
mod tree;
#[cfg(feature = "mcp")]
mod value_count;
pub(crate) mod writer;

pub(crate) use comparison_key::comparison_key;
pub(crate) use differences::differences;
#[cfg(feature = "mcp-client")]
pub(crate) use equal::equal;
pub(crate) use equal::{equals_value, first_repeat};
#[cfg(feature = "adapters")]
pub(crate) use lone_surrogates::{read_with_lone_surrogates, unescape_pairs};
pub use malformed::Malformed;
pub(crate) use members::removed_members;
pub(crate) use number::Decimal;
#[cfg(any(feature = "adapters", feature = "mcp-client"))]
pub(crate) use number::fits_64_bits;
pub(crate) use pointer::{OpaqueNodes, pointer, push_name};
pub(crate) use reader::read;
#[cfg(feature = "canonical")]
pub(crate) use scan::special;
#[cfg(any(feature = "mcp", feature = "mcp-client"))]
pub(crate) use shallow::ShallowJson;
#[cfg(feature = "mcp-client")]
pub(crate) use shallow::ShallowScan;

#[cfg(feature = "mcp")]
pub(crate) use tool_contracts::portable::from_bytes;
#[cfg(feature = "agent")]
pub(crate) use tool_contracts::portable::insert;
#[cfg(any(feature = "adapters", feature = "http"))]
pub(crate) use tool_contracts::portable::normalized_object;
pub(crate) use tool_contracts::portable::{from_text, from_value, normalized, read as read_seed};
pub(crate) use tree::{DuplicateKey, JsonKind, JsonNode, JsonTree, JsonView};
#[cfg(feature = "mcp")]
pub(crate) use value_count::value_count;

#[cfg(test)]
mod tests;
