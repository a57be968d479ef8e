//! The bodies of a tool server over HTTP: tools are listed and called by callers in any language.
//!
//! A [`ListRequest`] asks which tools there are, a [`ListResponse`] describes them. A
//! [`CallRequest`] names a tool, with its input and a [`CallContext`]; a [`CallResponse`] answers
//! with what the tool returned or with what went wrong, and with an [`Audit`] either way. Headers
//! may say what a context leaves out. A [`Tenant`] is named by a UUID or by a slug.
//!
//! They are views of what the crate says elsewhere, so that nothing is lost on the way:
//!
//! | from | to | by | what stays behind |
//! | --- | --- | --- | --- |
//! | [`CallContext`] | [`ToolContext`](crate::ToolContext) | [`into_context`](CallContext::into_context) | `actor_type`, of which a server makes an actor with the id of who has proven to call |
//! | [`ToolContext`](crate::ToolContext) | [`CallContext`] | `TryFrom` | what is made anew for a call: invocation, time |
//! | [`ToolOutput`](crate::ToolOutput) | [`CallResponse`] | [`from_output`](CallResponse::from_output) | the echo of the input |
//! | [`CallResponse`] | [`ToolOutput`](crate::ToolOutput) | [`into_output`](CallResponse::into_output) | the audit |
//! | [`ToolSpec`](crate::ToolSpec) | [`ToolListing`] | `From` | what only the server needs: title, effect, permission, times |
//!
//! | here | in the core |
//! | --- | --- |
//! | `tenant_id` | `tenant_id`, and `tenant_slug` where it is a slug |
//! | `npc_id` | `attributes.npc_id` |
//! | `span_id` | `trace.span_id` |
//! | `run_id`, `ingestion_run_id` | the same; a new `run_id` where both are left out |
//! | `output` | `data` |
//! | `error`, `error_type` | `error.message`, `error.code` (or where there is none `error.type`) |
//! | `detail` | `error` |
//! | `meta` | `meta`; left out where it says nothing but the time that the audit says too |
//!
//! ```
//! use tool_contracts::server::{CallRequest, CallResponse};
//!
//! let request: CallRequest = serde_json::from_str(
//!     r#"{"tool_name":"search_content","input":{"query":"tea"},
//!         "context":{"tenant_id":"yantian","site_id":"yantian-main","trace_id":"trace-1"}}"#,
//! )?;
//! let (tool_name, input, context) = request.into_parts();
//! let cx = context.into_context()?;
//! assert_eq!((tool_name.as_str(), input.get()), ("search_content", r#"{"query":"tea"}"#));
//! assert_eq!((cx.tenant_slug(), cx.site_id()), (Some("yantian"), Some("yantian-main")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod builder;
mod call;
mod context;
mod conversion;
mod list;
mod response;
mod tenant;

pub use self::{
    audit::{Audit, AuditStatus},
    builder::CallContextBuilder,
    call::CallRequest,
    context::CallContext,
    list::{ListRequest, ListResponse, ToolListing},
    response::CallResponse,
    tenant::Tenant,
};

use crate::has_hidden_characters;

/// The most characters of an id in a [`CallContext`].
pub const MOST_CHARACTERS: usize = 256;

/// The schema's pattern of an id: no control, bidirectional or zero-width characters.
///
/// Those above U+FFFF are refused as well, which the pattern leaves to [`is_id`].
pub const ID_PATTERN: &str = crate::hidden::VISIBLE;

/// Returns whether a text can be an id in a [`CallContext`]: 1 to 256 characters, none of them a
/// control, bidirectional or zero-width character.
///
/// ```
/// use tool_contracts::server::is_id;
///
/// assert!(is_id("trace-1") && is_id("严田"));
/// assert!(!is_id("") && !is_id("two\nlines") && !is_id(&"x".repeat(257)));
/// assert!(!is_id("bo\u{200b}ss") && !is_id("\u{202e}ssob"));
/// ```
#[must_use]
pub fn is_id(text: &str) -> bool {
    // A text of so many bytes has no more characters, and is seldom longer.
    let fits = text.len() <= MOST_CHARACTERS || text.chars().count() <= MOST_CHARACTERS;
    fits && !text.is_empty() && !has_hidden_characters(text)
}
