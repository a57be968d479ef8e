//! The request and response envelopes: the core's data in the form that services share.
//!
//! A [`RequestEnvelope`] contains the actor, the user and the origin of a request; the tool's name
//! and its arguments are transmitted beside it. A [`ResponseEnvelope`] contains `ok` and either
//! `data` or an `error` whose code is one of the standard [`ErrorCode`](crate::ErrorCode)s.
//!
//! Both are other forms of the crate's core types, and convert to and from them:
//!
//! | from | to | by | not converted |
//! | --- | --- | --- | --- |
//! | [`RequestEnvelope`] | [`ToolContext`](crate::ToolContext) | [`into_context`](RequestEnvelope::into_context) | nothing |
//! | [`ToolContext`](crate::ToolContext) | [`RequestEnvelope`] | `TryFrom` | the tenant, which is transmitted beside the envelope; values generated for each call: invocation, time, run |
//! | [`ToolOutput`](crate::ToolOutput) | [`ResponseEnvelope`] | `From` | the echo of the input |
//! | [`ResponseEnvelope`] | [`ToolOutput`](crate::ToolOutput) | [`into_output`](ResponseEnvelope::into_output) | nothing |
//! | [`ToolErrorDetail`](crate::ToolErrorDetail) | [`ResponseError`] | `From`, both ways | nothing |
//!
//! ```
//! use tool_contracts::envelope::{RequestEnvelope, ResponseEnvelope};
//! use uuid::Uuid;
//!
//! let request: RequestEnvelope = serde_json::from_str(
//!     r#"{"request_id":"req-7","actor":{"type":"user","id":"u_123"},"currency":"USD"}"#,
//! )?;
//! let cx = request.into_context(Uuid::nil());
//! assert_eq!((cx.trace_id(), cx.currency()), ("req-7", Some("USD")));
//!
//! let answer: ResponseEnvelope = serde_json::from_str(
//!     r#"{"ok":false,"warnings":[],"error":{"code":"OUT_OF_STOCK","message":"none left"}}"#,
//! )?;
//! assert!(answer.error().is_some_and(|error| error.message() == "none left"));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod builder;
mod call;
mod conversion;
mod error;
mod request;
mod response;

pub(crate) use self::error::{RESERVED, standard_code};
pub use self::{
    builder::RequestEnvelopeBuilder, call::CallEnvelope, error::ResponseError,
    request::RequestEnvelope, response::ResponseEnvelope,
};
