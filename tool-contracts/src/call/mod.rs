//! A call before its output: the request, its status, and the violations of its schema.

mod request;
mod status;
mod violation;

pub use self::{request::ToolCallRequest, status::CallStatus, violation::Violation};
