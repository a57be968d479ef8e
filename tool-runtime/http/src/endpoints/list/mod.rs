//! `POST /tools/list`: lists the tools that the caller may call.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use tool_contracts::ToolSpec;
use tool_contracts::server::ListRequest;

use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::{self, ReceivedRequest};
use crate::request::context;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};

#[cfg(test)]
mod tests;

/// Handles a request for the list.
pub(crate) async fn list(
    admitted: Admitted,
    State(app): State<SharedApp>,
    request: ReceivedRequest,
) -> Result<JsonResponse, Problem> {
    let filter: ListRequest = body::parse(&request.body)?;
    let principal = admitted.principal();
    // The list is refused to a caller that may not act for the tenant that it names.
    context::context(&request.head(), None, principal, &app.config.context_defaults)?;
    let body = write_list(&app, |spec| filter.admits(spec) && principal.may_call(spec));
    Ok(JsonResponse::new(StatusCode::OK, body))
}

fn write_list(app: &App, is_shown: impl Fn(&ToolSpec) -> bool) -> Bytes {
    let listing = app.listing.get(&app.runtime.tools().list());
    let visible_tools = listing.tools.iter().filter(|(spec, _)| is_shown(spec));
    let tool_texts: Vec<&str> = visible_tools.map(|(_, listing)| &**listing).collect();
    let (tools, total) = (tool_texts.join(","), tool_texts.len());
    format!(r#"{{"tools":[{tools}],"total":{total}}}"#).into()
}
