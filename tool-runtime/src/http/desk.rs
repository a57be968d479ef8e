//! What the paths share that people's own applications ask: who is at the desk, and what they name.

use std::future::Future;
use std::time::Duration;

use axum::extract::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Serialize;
use tool_contracts::{ErrorCode, ToolContext};
use uuid::Uuid;

use super::answer::{Heard, Outcome};
use super::app::App;
use super::auth::{Principal, Scope};
use super::caller;
use super::problem::Problem;
use super::receiving;
use crate::evidence::Access;
use crate::refusal_reason::RefusalReason;

/// The longest name that an access log takes, in bytes.
const LONGEST_NAME: usize = 256;

/// The values of a path, if they are text.
pub(super) type Params = Result<RawPathParams, RawPathParamsRejection>;

/// Somebody who may do more than call tools, for one tenant.
pub(super) struct Clerk {
    pub(super) cx: ToolContext,
    pub(super) principal: Principal,
}

impl Clerk {
    /// Lets somebody in who has this scope.
    pub(super) async fn admit(
        app: &App,
        parts: &Parts,
        scope: Scope,
        heard: &mut Heard,
    ) -> Result<Self, Problem> {
        Self::of(receiving::admit(app, parts, heard).await?, parts, scope, heard)
    }

    /// Lets in whoever this is, if they have this scope.
    pub(super) fn of(
        principal: Principal,
        parts: &Parts,
        scope: Scope,
        heard: &mut Heard,
    ) -> Result<Self, Problem> {
        if !principal.may(scope) {
            return Err(not_theirs(&principal, scope));
        }
        let cx = caller::context(&receiving::head(parts), None, &principal)?;
        heard.trace_id = Some(cx.trace_id().into());
        Ok(Self { cx, principal })
    }

    /// Gives the tenant, which they may act for.
    pub(super) fn tenant(&self) -> Uuid {
        self.cx.tenant_id()
    }

    /// States this caller and its scopes for an access to evidence of its tenant.
    pub(super) fn access(&self, reason: impl Into<Box<str>>) -> Result<Access, Problem> {
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

    /// Names them as it stands in records: the user they say they are, and who vouches for that.
    pub(super) fn name(&self) -> String {
        named(self.cx.user_id(), self.principal.shown())
    }
}

/// Finds a value of the path, percent-decoded.
pub(super) fn param<'p>(params: &'p Params, name: &str) -> Result<&'p str, Problem> {
    let found = params.as_ref().ok().and_then(|params| params.iter().find(|it| it.0 == name));
    found.map(|(_, value)| value).ok_or_else(|| {
        let message = format!("path `{name}`: expected percent-encoded UTF-8");
        Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
    })
}

/// Answers with a body that holds nothing which cannot be written.
pub(super) fn found(body: &impl Serialize) -> Outcome {
    let body = serde_json::to_vec(body).expect("texts, numbers and raw JSON are written as JSON");
    Outcome { status: StatusCode::OK, retry_after: None, body: body.into() }
}

/// Waits for what a request asks for: as long as a request may take, and the server goes on.
pub(super) async fn within<T>(
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

/// What is asked of a store that does not answer.
pub(super) fn store_down() -> Problem {
    Problem::of(ErrorCode::Unavailable, "what is kept cannot be looked up now; try again later")
        .with_reason(RefusalReason::StoreUnavailable)
}

fn too_long(limit: Duration) -> Problem {
    let limit = limit.as_millis();
    let message = format!("this could not be done within the {limit} ms that a request has");
    Problem::of(ErrorCode::Timeout, message)
}

fn not_theirs(principal: &Principal, scope: Scope) -> Problem {
    if principal.is_anonymous() {
        let message = "this path is not for callers that nobody knows; send an API key or a token";
        return Problem::unauthorized(message);
    }
    Problem::forbidden(format!(
        "this caller may not ask for this; it takes the scope `{}`",
        scope.as_str()
    ))
}

/// Names a user and who vouches for them, no longer than records take it.
///
/// Who vouches is proven, and the user is only said: however long the user's name is, the other
/// one stands behind it.
pub(super) fn named(user: Option<&str>, principal: &str) -> String {
    let Some(user) = user else { return cut(principal, LONGEST_NAME).to_owned() };
    let principal = cut(principal, LONGEST_NAME / 2);
    let room = LONGEST_NAME - "user: by ".len() - principal.len();
    format!("user:{} by {principal}", cut(user, room))
}

/// Keeps of a name as many bytes as there is room for, in whole characters.
fn cut(name: &str, room: usize) -> &str {
    let mut end = name.len().min(room);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, named};

    #[test]
    fn whoever_vouches_is_named_however_long_the_users_name_is() {
        assert_eq!(named(Some("boss"), "desk"), "user:boss by desk");
        assert_eq!(named(None, "desk"), "desk");
        for user in ["x".repeat(256), "名".repeat(256), format!("boss by other{}", " ".repeat(300))]
        {
            let name = named(Some(&user), "desk");
            assert!(name.ends_with(" by desk") && name.len() <= LONGEST_NAME, "{name}");
        }
        let long = named(Some("boss"), &"名".repeat(256));
        assert!(long.starts_with("user:boss by 名") && long.len() <= LONGEST_NAME, "{long}");
    }
}
