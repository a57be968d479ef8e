//! `POST /tools/list`: the tools that this caller may see.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use tool_contracts::ToolSpec;
use tool_contracts::server::{ListRequest, ToolListing};

use super::answer::{Heard, Outcome};
use super::app::{App, Shared};
use super::problem::Problem;
use super::{body, caller, receiving};
use crate::Runtime;

#[cfg(test)]
mod tests;

/// Each tool as it stands in a list, written once.
#[derive(Debug)]
pub(super) struct Listing(Vec<Box<str>>);

impl Listing {
    /// Writes the tools of a runtime, in its own order.
    pub(super) fn of(runtime: &Runtime) -> Self {
        let written = |spec: &ToolSpec| {
            let listing = serde_json::to_string(&ToolListing::from(spec));
            listing.expect("a tool's spec is written as JSON").into_boxed_str()
        };
        Self(runtime.specs().map(written).collect())
    }
}

/// Answers a request for the tools.
pub(super) async fn list(State(app): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| serve(&app, &parts, body, heard).await).await
}

async fn serve(
    app: &App,
    parts: &Parts,
    body: Body,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    let body = body::read(app, parts, body, heard).await?;
    heard.body(&body);
    let request: ListRequest = body::parse(&body)?;
    // Nobody is told of tools who may not act for the tenant that they name.
    caller::context(&receiving::head(parts), None, &principal)?;
    let is_shown = |spec: &ToolSpec| request.admits(spec) && principal.may_call(spec);
    let body = written(app, is_shown);
    Ok(Outcome { status: StatusCode::OK, retry_after: None, body }.into_response())
}

fn written(app: &App, is_shown: impl Fn(&ToolSpec) -> bool) -> Bytes {
    let all = app.runtime.specs().zip(&app.listing.0);
    let shown: Vec<&str> =
        all.filter(|(spec, _)| is_shown(spec)).map(|(_, written)| &**written).collect();
    let (tools, total) = (shown.join(","), shown.len());
    format!(r#"{{"tools":[{tools}],"total":{total}}}"#).into()
}
