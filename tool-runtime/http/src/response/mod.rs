//! Writes the bodies of responses, each once into a buffer of its exact size.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use tool_contracts::envelope::ResponseEnvelope;
use tool_contracts::{ToolErrorDetail, ToolErrorMeta};
use uuid::Uuid;

use tool_runtime_core::ToolOutput;

pub(crate) use self::facts::{
    Answer, AnswerFacts, IntoAnswer, PayloadHash, ReportFacts, RequestFacts, RequestStart,
    header_trace_id,
};
use crate::problem::status;

mod facts;
#[cfg(test)]
mod tests;

/// The format of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// `contracts::server::CallResponse`, with an audit.
    CallResponse,
    /// `contracts::envelope::ResponseEnvelope`.
    Envelope,
}

/// A response with a JSON body.
#[derive(Debug)]
pub(crate) struct JsonResponse {
    pub(crate) status: StatusCode,
    /// In whole seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: Bytes,
    pub(crate) facts: AnswerFacts,
}

/// The body of a failure, as in [`contracts::server`](tool_contracts::server).
#[derive(Serialize)]
struct FailureBody<'a> {
    success: bool,
    error: &'a str,
    error_type: &'a str,
    detail: &'a ToolErrorDetail,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
    audit: FailureAudit<'a>,
}

#[derive(Serialize)]
struct FailureAudit<'a> {
    trace_id: &'a str,
    tool_name: &'a str,
    status: &'static str,
    latency_ms: u64,
    request_payload_hash: &'a str,
    error_type: &'a str,
    error_message: &'a str,
}

/// The `Retry-After` of a failure without a known time.
const RETRY_SECONDS: u64 = 1;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Responses depend on request headers that caches do not key on, so they must not be stored.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

const SUCCESS: &str = r#"{"success":true,"output":"#;
const META: &str = r#","meta":"#;
const TRACE: &str = r#","audit":{"trace_id":"#;
const TOOL: &str = r#","tool_name":"#;
const LATENCY: &str = r#","status":"success","latency_ms":"#;
const HASH: &str = r#","request_payload_hash":""#;
const END: &str = r#""}}"#;

impl JsonResponse {
    /// Makes a response of a body that is JSON.
    pub(crate) fn new(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, retry_after: None, body: body.into(), facts: AnswerFacts::default() }
    }

    /// Makes the response of a successful call.
    pub(crate) fn success(
        data: &str,
        meta: Option<&str>,
        trace_id: &str,
        facts: &RequestFacts,
    ) -> Self {
        Self::new(StatusCode::OK, write_success(data, meta, trace_id, facts))
    }

    /// Writes a tool's output as a response envelope; `INTERNAL` where the output is broken JSON.
    pub(crate) fn envelope(output: &ToolOutput) -> Self {
        let envelope = output.to_envelope();
        let status =
            envelope.error().map_or(StatusCode::OK, |error| status::for_code(error.code()));
        let mut json = Vec::with_capacity(output.json().len() + 64);
        write(&mut json, &envelope);
        Self::new(status, json)
    }

    /// Makes the response of a failure.
    pub(crate) fn failure(
        status: StatusCode,
        detail: &ToolErrorDetail,
        meta: Option<&str>,
        facts: &RequestFacts,
    ) -> Self {
        let waits =
            matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let stated_delay =
            detail.retry_after_ms().map(|time| time.div_ceil(1_000).max(RETRY_SECONDS));
        let retry_after = stated_delay.or(waits.then_some(RETRY_SECONDS));
        let body = match facts.format() {
            ResponseFormat::CallResponse => {
                write_failure(detail, meta.filter(|meta| is_notable(meta)), facts)
            }
            ResponseFormat::Envelope => write_envelope(detail, meta, facts),
        };
        Self { retry_after, ..Self::new(status, body) }
    }

    /// Makes the response of a body whose serialization cannot fail.
    pub(crate) fn ok(body: &impl Serialize) -> Self {
        let mut json = Vec::with_capacity(512);
        write(&mut json, body);
        Self::new(StatusCode::OK, json)
    }

    /// Sets the tool that the response is about.
    pub(crate) fn with_tool_name(mut self, name: &str) -> Self {
        self.facts.tool_name = Some(name.into());
        self
    }
}

impl IntoResponse for JsonResponse {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(CACHE_CONTROL, NO_STORE);
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Returns an output's `meta`, unless it has only the duration of a single attempt.
pub(crate) fn notable_meta(output: &ToolOutput) -> Option<&str> {
    Some(output.meta_json()).filter(|meta| is_notable(meta))
}

fn is_notable(meta: &str) -> bool {
    // The duration is the first field of every `meta`.
    meta.split_once(',').is_some_and(|(_, more)| more != r#""attempts":1}"#)
}

fn write_success(data: &str, meta: Option<&str>, trace_id: &str, facts: &RequestFacts) -> Vec<u8> {
    let (latency, tool) = (facts.latency_ms(), &*facts.tool_name);
    let frame = SUCCESS.len() + TRACE.len() + TOOL.len() + LATENCY.len() + HASH.len() + END.len();
    let meta_len = meta.map_or(0, |meta| META.len() + meta.len());
    let names = quoted_len(trace_id) + quoted_len(tool) + digits(latency) + 64;
    let mut json = Vec::with_capacity(frame + data.len() + meta_len + names);
    json.extend_from_slice(SUCCESS.as_bytes());
    json.extend_from_slice(data.as_bytes());
    if let Some(meta) = meta {
        json.extend_from_slice(META.as_bytes());
        json.extend_from_slice(meta.as_bytes());
    }
    json.extend_from_slice(TRACE.as_bytes());
    write(&mut json, trace_id);
    json.extend_from_slice(TOOL.as_bytes());
    write(&mut json, tool);
    json.extend_from_slice(LATENCY.as_bytes());
    write(&mut json, &latency);
    json.extend_from_slice(HASH.as_bytes());
    json.extend_from_slice(&facts.payload.0);
    json.extend_from_slice(END.as_bytes());
    json
}

fn write_failure(detail: &ToolErrorDetail, meta: Option<&str>, facts: &RequestFacts) -> Vec<u8> {
    // The code is the finer of the two axes; the type is in `detail`.
    let error_type = detail.code().unwrap_or_else(|| detail.error_type().as_str());
    let new_trace_id;
    let trace_id = if let Some(trace_id) = &facts.trace_id {
        trace_id
    } else {
        new_trace_id = Uuid::now_v7().to_string();
        &*new_trace_id
    };
    let audit = FailureAudit {
        trace_id,
        tool_name: &facts.tool_name,
        status: "error",
        latency_ms: facts.latency_ms(),
        request_payload_hash: facts.payload.as_str(),
        error_type,
        error_message: detail.message(),
    };
    let meta = meta.and_then(|meta| serde_json::from_str(meta).ok());
    let public_detail = without_cause(detail);
    let detail = &*public_detail;
    let error = detail.message();
    let mut json = Vec::with_capacity(512);
    write(&mut json, &FailureBody { success: false, error, error_type, detail, meta, audit });
    json
}

/// Writes a failure as a response envelope. If no call was opened, `meta` holds the request's time.
fn write_envelope(detail: &ToolErrorDetail, meta: Option<&str>, facts: &RequestFacts) -> Vec<u8> {
    let meta = meta.and_then(|meta| serde_json::from_str(meta).ok());
    let meta = meta.unwrap_or_else(|| ToolErrorMeta::new(facts.latency_ms()));
    let detail = without_cause(detail).into_owned();
    let mut json = Vec::with_capacity(512);
    write(&mut json, &ResponseEnvelope::<()>::failure(detail, meta));
    json
}

/// Removes `cause`, a type of the host's program, which does not help a caller.
pub(crate) fn without_cause(detail: &ToolErrorDetail) -> Cow<'_, ToolErrorDetail> {
    if detail.cause().is_none() {
        return Cow::Borrowed(detail);
    }
    Cow::Owned(detail.clone().into_builder().without_cause().build())
}

fn write<T: Serialize + ?Sized>(json: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(json, value).expect("texts and the contract's types are written as JSON");
}

/// Returns the length of a text as JSON, including its quotes.
fn quoted_len(text: &str) -> usize {
    let byte_len = |byte| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    2 + text.bytes().map(byte_len).sum::<usize>()
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
