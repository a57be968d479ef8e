//! Reads a request: admission, body, context of the call, pages.

pub(super) mod access_records;
pub(super) mod admission;
pub(super) mod body;
pub(super) mod body_schema;
pub(super) mod context;
pub(super) mod operator;
pub(super) mod paging;
