//! The request and response bodies of a tool server over HTTP, for callers in any language.
//!
//! A [`ListRequest`] lists the tools, a [`ListResponse`] describes them. A [`CallRequest`] names a
//! tool, with its input and a [`CallContext`]; a [`CallResponse`] contains the tool's output or the
//! error, and an [`Audit`] in both cases. Headers may supply fields that a context omits. A
//! [`Tenant`] is named by a UUID or by a slug.
//!
//! They are other forms of the crate's core types, and convert to and from them:
//!
//! | from | to | by | not converted |
//! | --- | --- | --- | --- |
//! | [`CallContext`] | [`ToolContext`](crate::ToolContext) | [`into_context`](CallContext::into_context) | `actor_type`, from which a server creates an actor with the id of the authenticated caller |
//! | [`ToolContext`](crate::ToolContext) | [`CallContext`] | `TryFrom` | values generated for each call: invocation, time |
//! | [`ToolOutput`](crate::ToolOutput) | [`CallResponse`] | [`from_output`](CallResponse::from_output) | the echo of the input |
//! | [`CallResponse`] | [`ToolOutput`](crate::ToolOutput) | [`into_output`](CallResponse::into_output) | the audit |
//! | [`ToolSpec`](crate::ToolSpec) | [`ToolListing`] | `From` | fields for the server only: title, effect, permission, times |
//!
//! | here | in the core |
//! | --- | --- |
//! | `tenant_id` | `tenant_id`, and `tenant_slug` if it is a slug |
//! | `npc_id` | `attributes.npc_id` |
//! | `span_id` | `trace.span_id` |
//! | `run_id`, `ingestion_run_id` | the same; a new `run_id` if both are omitted |
//! | `output` | `data` |
//! | `error`, `error_type` | `error.message`, `error.code` (or `error.type` if there is no code) |
//! | `detail` | `error` |
//! | `meta` | `meta`; omitted if it holds only the duration, which is also in the audit |
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

/// The maximum length of an id in a [`CallContext`], in characters.
pub const MAX_CHARACTERS: usize = 256;

/// The schema's pattern of an id: no control, bidirectional or zero-width characters.
///
/// Such characters above U+FFFF are also refused; the pattern leaves them to [`is_id`].
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
    // A text never has more characters than bytes, and counting bytes is cheaper.
    let fits = text.len() <= MAX_CHARACTERS || text.chars().count() <= MAX_CHARACTERS;
    fits && !text.is_empty() && !has_hidden_characters(text)
}
