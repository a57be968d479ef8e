//! Who asks for what, for whom: from a request's headers, query and body.

use axum::http::HeaderMap;
use tool_contracts::ToolContext;
use tool_contracts::server::{CallContext, Tenant};

use super::Principal;
use super::problem::Problem;

/// What a request says before its body.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestHead<'a> {
    pub(super) headers: &'a HeaderMap,
    /// Without the `?`.
    pub(super) query: Option<&'a str>,
}

/// What a request says of itself, from whichever place.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) cx: ToolContext,
    pub(super) tenant: Tenant,
}

/// Makes a call's context from the head, the body (none where it has no context) and who calls.
///
/// # Errors
/// When something required is missing, does not hold or is contradicted, all at once; when the
/// principal may not act for the tenant.
pub(super) fn context(
    _head: &RequestHead<'_>,
    _body: Option<CallContext>,
    _principal: &Principal,
) -> Result<Said, Problem> {
    Err(Problem::forbidden("not yet"))
}
