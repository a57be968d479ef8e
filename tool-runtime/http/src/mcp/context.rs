//! The context of a call: from the caller's credential, the headers and the request's `_meta`, never
//! from the arguments.

use axum::http::{HeaderMap, HeaderValue};
use rmcp::model::RequestMetaObject;
use tool_contracts::ToolContext;
use tool_contracts::server::{CallContext, Tenant};

use super::transport::RequestCaller;
use crate::problem::Problem;
use crate::request::context::{RequestHead, context};
use crate::state::app::App;
use crate::state::config::ContextDefaults;
use crate::state::config::mcp::McpConfig;

/// The member of `_meta` with the idempotency key of a call.
const IDEMPOTENCY_KEY: &str = "tool-runtime/idempotency-key";

/// The header with the tenant of a request.
const TENANT: &str = "x-tenant-id";

/// The site of calls whose server has none.
const SITE: &str = "mcp";

/// Makes the context of a request's call.
pub(super) fn for_request(
    caller: &RequestCaller,
    meta: &RequestMetaObject,
    app: &App,
    config: &McpConfig,
) -> Result<ToolContext, Problem> {
    let (principal, defaults) = (caller.admitted.principal(), &app.config.context_defaults);
    let unnamed = || {
        let only = || principal.only_tenant().map(Tenant::from);
        let names_one = caller.headers.contains_key(TENANT);
        if names_one { None } else { only().or_else(|| config.tenant.clone()) }
    };
    let defaults = ContextDefaults {
        tenant: defaults.tenant.clone().or_else(unnamed),
        site: config.site.clone().or_else(|| defaults.site.clone()).or(Some(SITE.into())),
        new_trace_ids: true,
    };
    let headers = traced(&caller.headers, meta);
    let head = RequestHead { headers: headers.as_ref().unwrap_or(&caller.headers), query: None };
    context(&head, keyed(meta)?, principal, &defaults)
}

/// Returns the headers with the trace of `_meta`, which is the newer one; none if it has no trace.
fn traced(headers: &HeaderMap, meta: &RequestMetaObject) -> Option<HeaderMap> {
    let parent = HeaderValue::from_str(meta.get_traceparent()?).ok()?;
    let mut headers = headers.clone();
    headers.insert("traceparent", parent);
    match meta.get_tracestate().map(HeaderValue::from_str) {
        Some(Ok(state)) => headers.insert("tracestate", state),
        Some(Err(_)) | None => headers.remove("tracestate"),
    };
    Some(headers)
}

fn keyed(meta: &RequestMetaObject) -> Result<Option<CallContext>, Problem> {
    let refused = || {
        Problem::from_code(
            tool_contracts::ErrorCode::InvalidArgument,
            "`_meta`: expected an idempotency key of 1 to 256 visible characters",
        )
    };
    let Some(key) = meta.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    // A key that was not read would let a repeated write run twice.
    let key = key.as_str().ok_or_else(refused)?;
    CallContext::builder().idempotency_key(key).build().map(Some).map_err(|_| refused())
}
