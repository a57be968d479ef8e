//! Shared parsing: options, descriptions, bounds, durations, names and types.

pub(crate) mod arg;
pub(crate) mod bounds;
pub(crate) mod deprecation;
pub(crate) mod docs;
pub(crate) mod duration;
pub(crate) mod groups;
pub(crate) mod json;
mod literal;
mod manifest;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod root;
pub(crate) mod types;
