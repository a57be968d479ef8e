//! Helpers of the endpoints for operators and approvers: authorization, path parameters, time
//! limit.

use std::future::Future;
use std::time::Duration;

use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Serialize;
use tool_contracts::{ErrorCode, ToolContext};
use uuid::Uuid;

use crate::evidence::Access;
use crate::http::auth::{Principal, Scope};
use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::request::context as caller;
use crate::http::response::{AuditContext, JsonResponse};
use crate::http::state::app::App;
use crate::refusal_reason::RefusalReason;

/// The longest name in an access record, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// The parameters of a path, if they are UTF-8.
pub(in crate::http) type Params = Result<RawPathParams, RawPathParamsRejection>;

/// An authenticated caller with the scope of an endpoint, acting for one tenant.
pub(in crate::http) struct AuthorizedCaller {
    pub(in crate::http) cx: ToolContext,
    pub(in crate::http) principal: Principal,
}

impl AuthorizedCaller {
    /// Admits a request and requires this scope.
    pub(in crate::http) async fn admit(
        app: &App,
        parts: &Parts,
        scope: Scope,
        audit: &mut AuditContext,
    ) -> Result<Self, Problem> {
        Self::of(request::admit(app, parts, audit).await?, parts, scope, audit)
    }

    /// Requires this scope of a principal.
    pub(in crate::http) fn of(
        principal: Principal,
        parts: &Parts,
        scope: Scope,
        audit: &mut AuditContext,
    ) -> Result<Self, Problem> {
        if !principal.may(scope) {
            return Err(missing_scope(&principal, scope));
        }
        let cx = caller::context(&request::head(parts), None, &principal)?;
        audit.trace_id = Some(cx.trace_id().into());
        Ok(Self { cx, principal })
    }

    /// Returns the tenant.
    pub(in crate::http) fn tenant(&self) -> Uuid {
        self.cx.tenant_id()
    }

    /// States this caller and its scopes for an access to evidence of its tenant.
    pub(in crate::http) fn access(&self, reason: impl Into<Box<str>>) -> Result<Access, Problem> {
        let access = Access::new(self.name(), reason).map_err(|_| Problem::internal())?;
        let access = access
            .with_principal(&**self.principal.id())
            .with_tenant(self.tenant())
            .with_scopes(self.principal.scope_words());
        Ok(match self.cx.user_id() {
            Some(user) => access.with_user(user),
            None => access,
        })
    }

    /// Returns the name for records: the user, and the principal that named it.
    pub(in crate::http) fn name(&self) -> String {
        recorded_name(self.cx.user_id(), self.principal.display_name())
    }
}

/// Returns a parameter of the path, percent-decoded.
pub(in crate::http) fn param<'p>(params: &'p Params, name: &str) -> Result<&'p str, Problem> {
    let found = params.as_ref().ok().and_then(|params| params.iter().find(|it| it.0 == name));
    found.map(|(_, value)| value).ok_or_else(|| {
        let message = format!("path `{name}`: expected percent-encoded UTF-8");
        Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
    })
}

/// Makes the response of a body whose serialization cannot fail.
pub(in crate::http) fn json(body: &impl Serialize) -> JsonResponse {
    let body = serde_json::to_vec(body).expect("texts, numbers and raw JSON are written as JSON");
    JsonResponse { status: StatusCode::OK, retry_after: None, body: body.into() }
}

/// Runs work with the time limit of a request; stops when the server shuts down.
pub(in crate::http) async fn within_time_limit<T>(
    app: &App,
    work: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let limit = app.config.bounds.request_time;
    tokio::select! {
        biased;
        done = work => done,
        () = tokio::time::sleep(limit) => Err(too_long(limit)),
        () = app.config.drain.finished() => Err(Problem::draining()),
    }
}

/// Returns the problem of a store that cannot be reached.
pub(in crate::http) fn store_unavailable() -> Problem {
    Problem::of(ErrorCode::Unavailable, "the store is not available now; retry later")
        .with_reason(RefusalReason::StoreUnavailable)
}

fn too_long(limit: Duration) -> Problem {
    let limit = limit.as_millis();
    let message = format!("the request exceeded its time limit of {limit} ms");
    Problem::of(ErrorCode::Timeout, message)
}

/// Returns the word by which an audit record names why a known caller was forbidden.
pub(in crate::http) fn why_forbidden<'p>(
    principal: &Principal,
    scope: Scope,
    problem: &'p Problem,
) -> &'p str {
    if !principal.may(scope) {
        return "missing_scope";
    }
    let reason = problem.details.get("reason").and_then(serde_json::Value::as_str);
    reason.unwrap_or("foreign_tenant")
}

fn missing_scope(principal: &Principal, scope: Scope) -> Problem {
    if principal.is_anonymous() {
        let message = "this path requires authentication; send an API key or a token";
        return Problem::unauthorized(message);
    }
    Problem::forbidden(format!("this path requires the scope `{}`", scope.as_str()))
        .with_reason(RefusalReason::Scope)
}

/// Names a user and the principal that named it, within the length limit of records.
///
/// The principal is authenticated and the user is not, so a long user name is cut and the principal
/// always follows it.
pub(in crate::http) fn recorded_name(user: Option<&str>, principal: &str) -> String {
    let Some(user) = user else { return cut(principal, MAX_NAME_LENGTH).to_owned() };
    let principal = cut(principal, MAX_NAME_LENGTH / 2);
    let room = MAX_NAME_LENGTH - "user: by ".len() - principal.len();
    format!("user:{} by {principal}", cut(user, room))
}

/// Cuts a name to this many bytes, at a character boundary.
fn cut(name: &str, room: usize) -> &str {
    let mut end = name.len().min(room);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_LENGTH, recorded_name};

    #[test]
    fn the_principal_is_named_however_long_the_users_name_is() {
        assert_eq!(recorded_name(Some("boss"), "desk"), "user:boss by desk");
        assert_eq!(recorded_name(None, "desk"), "desk");
        for user in ["x".repeat(256), "名".repeat(256), format!("boss by other{}", " ".repeat(300))]
        {
            let name = recorded_name(Some(&user), "desk");
            assert!(name.ends_with(" by desk") && name.len() <= MAX_NAME_LENGTH, "{name}");
        }
        let long = recorded_name(Some("boss"), &"名".repeat(256));
        assert!(long.starts_with("user:boss by 名") && long.len() <= MAX_NAME_LENGTH, "{long}");
    }
}
