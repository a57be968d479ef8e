//! `POST /tools/list`: lists the tools that the caller may call.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::ToolSpec;
use tool_contracts::server::ListRequest;

use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::request::body;
use crate::http::request::context as caller;
use crate::http::response::{AuditContext, JsonResponse};
use crate::http::state::app::{App, SharedApp};

#[cfg(test)]
mod tests;

/// Handles a request for the list.
pub(in crate::http) async fn list(State(app): State<SharedApp>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    request::respond(&app, &parts, async |audit| serve(&app, &parts, body, audit).await).await
}

async fn serve(
    app: &App,
    parts: &Parts,
    body: Body,
    audit: &mut AuditContext,
) -> Result<Response, Problem> {
    let principal = request::admit(app, parts, audit).await?;
    let body = body::read(app, parts, body, audit).await?;
    audit.set_body(&body);
    let request: ListRequest = body::parse(&body)?;
    // The list is refused to a caller that may not act for the tenant that it names.
    caller::context(&request::head(parts), None, &principal)?;
    let is_shown = |spec: &ToolSpec| request.admits(spec) && principal.may_call(spec);
    let body = written(app, is_shown);
    Ok(JsonResponse { status: StatusCode::OK, retry_after: None, body }.into_response())
}

fn written(app: &App, is_shown: impl Fn(&ToolSpec) -> bool) -> Bytes {
    let all = app.runtime.specs().zip(app.listing.texts());
    let shown: Vec<&str> =
        all.filter(|(spec, _)| is_shown(spec)).map(|(_, written)| &**written).collect();
    let (tools, total) = (shown.join(","), shown.len());
    format!(r#"{{"tools":[{tools}],"total":{total}}}"#).into()
}
