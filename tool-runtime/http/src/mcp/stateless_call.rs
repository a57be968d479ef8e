//! Answers the most common request without a session of the protocol: a call of a tool, of revision
//! 2026-07-28, whose answer is one JSON body.
//!
//! `rmcp` serves each request by a separate connection, with tasks and channels, which costs more
//! than the call. A request that needs anything of that goes to it: progress, a task, an answer to
//! a question, another revision, headers that do not agree, a parameter in a header.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ClientCapabilities, RequestMetaObject};
use serde::Serialize;
use serde_json::value::RawValue;

use super::call::ToolRequest;
use super::handler::ToolServer;
use super::message::SentMessage;
use super::revision::Revision;
use super::transport::RequestCaller;
use crate::response::JsonResponse;

/// The revision of these requests.
const REVISION: &str = "2026-07-28";

/// The prefix of the headers that repeat parameters.
const PARAMETER: &str = "mcp-param-";

/// A call of a tool that is answered directly.
pub(super) struct StatelessCall<'b> {
    id: &'b RawValue,
    name: String,
    meta: RequestMetaObject,
    capabilities: ClientCapabilities,
}

#[derive(Serialize)]
struct ResultBody<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    error: ErrorData,
}

impl<'b> StatelessCall<'b> {
    /// Reads a request that can be answered directly; `None` for any other.
    pub(super) fn read(
        parts: &Parts,
        message: &SentMessage<'b>,
        server: &ToolServer,
    ) -> Option<Self> {
        let headers = &parts.headers;
        if one(headers, "mcp-protocol-version")? != REVISION || !accepts_both(headers) {
            return None;
        }
        let (id, name) = (message.request_id()?, message.called_tool()?);
        let meta = RequestMetaObject::from(message.meta()?.clone());
        let agrees = one(headers, "mcp-method") == Some("tools/call")
            && one(headers, "mcp-name") == Some(name)
            && meta.protocol_version().is_some_and(|named| named.as_str() == REVISION);
        let is_plain = !message.has_rounds()
            && meta.get_progress_token().is_none()
            && !server.settings.tasks.contains_key(name)
            && !headers.keys().any(|name| name.as_str().starts_with(PARAMETER))
            && !server.has_header_parameters(name);
        if !(agrees && is_plain) {
            return None;
        }
        let capabilities = meta.client_capabilities()?;
        Some(Self { id, name: name.to_owned(), meta, capabilities })
    }

    /// Answers the request.
    pub(super) async fn answer(self, server: &ToolServer, caller: Arc<RequestCaller>) -> Response {
        let Self { id, name, meta, capabilities } = self;
        let request = ToolRequest {
            server,
            caller,
            revision: Revision::Stateless,
            capabilities: Some(capabilities),
            meta,
            link: None,
        };
        let params = CallToolRequestParams::new(name);
        let answer = match request.answer(params).await {
            Ok(CallToolResponse::Complete(result)) => with_result(id, result),
            Ok(CallToolResponse::InputRequired(result)) => with_result(id, result),
            Ok(CallToolResponse::Task(result)) => with_result(id, result),
            Ok(_) => {
                with_error(id, ErrorData::internal_error("the result is of no known kind", None))
            }
            Err(error) => with_error(id, error),
        };
        answer.into_response()
    }
}

fn with_result(id: &RawValue, result: impl Serialize) -> JsonResponse {
    JsonResponse::ok(&ResultBody { jsonrpc: "2.0", id, result })
}

fn with_error(id: &RawValue, error: ErrorData) -> JsonResponse {
    JsonResponse::ok(&ErrorBody { jsonrpc: "2.0", id, error })
}

/// Returns the value of a header that occurs once.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Returns whether a client names both media types, without weights.
fn accepts_both(headers: &HeaderMap) -> bool {
    let Some(accept) = one(headers, ACCEPT.as_str()) else { return false };
    let names = |kind: &str| accept.split(',').any(|part| part.trim().eq_ignore_ascii_case(kind));
    names("application/json") && names("text/event-stream")
}
