//! Reads a request: extractors of its admission, body and parameters, and the context of its call.

pub(super) mod access_records;
pub(super) mod admission;
pub(super) mod body;
pub(super) mod body_schema;
pub(super) mod context;
pub(super) mod parameters;
pub(super) mod time_limit;
