//! Tools as an agent runs them: a request by the tool's id and type, and one flat result.
//!
//! A [`ToolRequest`] names a tool, its [`ToolType`] and a function of it, with parameters, a time
//! limit and a [`RetryConfig`]. An [`ActResult`] has the tool's data, its cost in tokens as text for a
//! model, and its duration.
//!
//! | from | to | |
//! | --- | --- | --- |
//! | [`ToolRequest`] | [`ToolCallRequest`](crate::ToolCallRequest) | `TryFrom`: the time limit and the retries have no place there |
//! | [`ToolOutput`](crate::ToolOutput) | [`ActResult`] | [`ActResult::from_output`], since an output has neither the tool's id nor a time |
//! | [`ActResult`] | [`ToolOutput`](crate::ToolOutput) | `TryFrom`: a failure needs its type and its code in `metadata` |
//!
//! `tool_runtime::agent` resolves and runs requests.

mod conversion;
mod request;
mod result;
mod retry_config;
mod text;
mod tool_type;

pub use self::{
    request::{ToolRequest, ToolRequestBuilder},
    result::{ActResult, ActResultBuilder},
    retry_config::RetryConfig,
    tool_type::ToolType,
};
