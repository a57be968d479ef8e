//! The tool with a handler that was written only for it.
//!
//! It contains the checks of a careful endpoint: required headers, typed arguments with their
//! bounds, the comparison of header and body, the hash of the body, the audit block.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::catalogue::{Catalogue, Hits};

const TOOL: &str = "search_content";

/// The only endpoint.
pub(super) fn router() -> Router {
    Router::new().route("/tools/call", post(call)).with_state(Arc::new(Catalogue::new()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow)]
    tool_name: Cow<'a, str>,
    input: Input,
    #[serde(borrow, default)]
    context: Context<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    query: String,
    content_type: Option<String>,
    #[serde(default = "ten")]
    limit: u32,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "they are the names on the wire")]
struct Context<'a> {
    #[serde(borrow)]
    tenant_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    site_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    trace_id: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
#[allow(clippy::struct_field_names, reason = "they are the names on the wire")]
struct Success<'a> {
    success: bool,
    output: Hits,
    audit: Audit<'a>,
}

#[derive(Serialize)]
struct Failed<'a> {
    success: bool,
    error: &'a str,
    error_type: &'a str,
    audit: Audit<'a>,
}

#[derive(Serialize)]
struct Audit<'a> {
    trace_id: &'a str,
    tool_name: &'a str,
    status: &'a str,
    latency_ms: u128,
    request_payload_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<&'a str>,
}

/// A refusal: its status, type and text.
type Refusal = (StatusCode, &'static str, &'static str);

async fn call(
    State(catalogue): State<Arc<Catalogue>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let started = Instant::now();
    let hash = hex(&Sha256::digest(&body));
    let trace_id = header(&headers, "x-trace-id").unwrap_or_default();
    let result = answer(&catalogue, &headers, &body);
    let audit = Audit {
        trace_id,
        tool_name: TOOL,
        status: if result.is_ok() { "success" } else { "error" },
        latency_ms: started.elapsed().as_millis(),
        request_payload_hash: hash,
        error_type: result.as_ref().err().map(|refusal| refusal.1),
        error_message: result.as_ref().err().map(|refusal| refusal.2),
    };
    match result {
        Ok(output) => json(StatusCode::OK, &Success { success: true, output, audit }),
        Err((status, error_type, error)) => {
            json(status, &Failed { success: false, error, error_type, audit })
        }
    }
}

fn answer(catalogue: &Catalogue, headers: &HeaderMap, body: &[u8]) -> Result<Hits, Refusal> {
    let (Some(tenant), Some(site), Some(trace)) = (
        header(headers, "x-tenant-id").filter(|it| is_slug(it)),
        header(headers, "x-site-id"),
        header(headers, "x-trace-id").filter(|it| it.len() <= 128),
    ) else {
        return Err(invalid("expected the headers X-Tenant-ID, X-Site-ID and X-Trace-ID"));
    };
    let is_json = header(headers, "content-type").is_some_and(|it| it == "application/json");
    if !is_json {
        return Err(invalid("expected the content type application/json"));
    }
    let Request { tool_name, input, context } =
        serde_json::from_slice(body).map_err(|_| invalid("expected the body of a call"))?;
    if tool_name != TOOL {
        return Err((StatusCode::NOT_FOUND, "NOT_FOUND", "no tool has this name"));
    }
    let agrees = |said: Option<Cow<'_, str>>, header: &str| said.is_none_or(|it| it == header);
    if !agrees(context.tenant_id, tenant)
        || !agrees(context.site_id, site)
        || !agrees(context.trace_id, trace)
    {
        return Err(invalid("header and body contradict each other"));
    }
    if !(1..=200).contains(&input.query.chars().count()) || !(1..=50).contains(&input.limit) {
        return Err(invalid("expected a query of 1 to 200 characters and a limit of 1 to 50"));
    }
    Ok(catalogue.search(input.query, input.content_type.as_deref(), input.limit))
}

fn invalid(text: &'static str) -> Refusal {
    (StatusCode::UNPROCESSABLE_ENTITY, "INVALID_ARGUMENT", text)
}

fn json(status: StatusCode, body: &impl Serialize) -> Response {
    // Like `axum::Json`: most answers fit, so the buffer rarely grows.
    let mut bytes = Vec::with_capacity(2_048);
    match serde_json::to_writer(&mut bytes, body) {
        Ok(()) => (status, [(CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().filter(|value| !value.is_empty())
}

fn is_slug(text: &str) -> bool {
    let is_part = |it: &u8| it.is_ascii_lowercase() || it.is_ascii_digit() || *it == b'-';
    text.len() <= 63 && text.as_bytes().iter().all(is_part)
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = |byte: &u8| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    bytes.iter().flat_map(digits).map(char::from).collect()
}

fn ten() -> u32 {
    10
}
