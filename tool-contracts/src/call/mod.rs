//! A call before its output: the request, how far it came, and what was wrong with it.

mod request;
mod status;
mod violation;

pub use self::{request::ToolCallRequest, status::CallStatus, violation::Violation};
