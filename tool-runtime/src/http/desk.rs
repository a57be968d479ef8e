//! What the paths share that people's own applications ask: who is at the desk, and what they name.

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
        let principal = receiving::admit(app, parts).await?;
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

    /// Names them as it stands in records: the user they say they are, and who vouches for that.
    pub(super) fn name(&self) -> String {
        let principal = self.principal.name();
        let name = match self.cx.user_id() {
            Some(user) => format!("user:{user} by {principal}"),
            None => principal.to_owned(),
        };
        cut(name)
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

/// What is asked of a store that does not answer.
pub(super) fn store_down() -> Problem {
    Problem::of(ErrorCode::Unavailable, "what is kept cannot be looked up now; try again later")
        .with_detail("reason", "store_unavailable")
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

/// Keeps a name as long as records take it.
fn cut(mut name: String) -> String {
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    name
}
