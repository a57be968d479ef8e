//! A strict JSON reader that keeps where everything stands: one pass, one flat list of nodes.

mod duplicates;
mod equal;
mod malformed;
mod number;
mod pointer;
pub(crate) mod reader;
mod scan;
pub(crate) mod text;
mod tree;

pub(crate) use equal::{equals_value, first_repeat};
pub use malformed::Malformed;
pub(crate) use number::Decimal;
pub(crate) use pointer::{pointer, pointers, push_name};
pub(crate) use reader::read;
#[cfg(feature = "canonical")]
pub(crate) use scan::special;

pub(crate) use tree::{Kind, Node, Repeat, Tree, View};

#[cfg(test)]
mod tests;
