//! The bodies of answers, each written once into a buffer of its exact size.

use std::borrow::Cow;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tool_contracts::envelope::ResponseEnvelope;
use tool_contracts::{ToolErrorDetail, ToolErrorMeta};
use uuid::Uuid;

use super::auth::Principal;
use super::rate::Caller;
use super::status;
use crate::ToolOutput;
use crate::canonical::Digest;

#[cfg(test)]
mod tests;

/// What is known of a request by now; its answer says so in `audit`.
#[derive(Debug)]
pub(super) struct Heard {
    started: Instant,
    payload: PayloadHash,
    pub(super) trace_id: Option<Box<str>>,
    pub(super) tool_name: Box<str>,
    /// The caller, once its credentials were checked; resources are counted by it.
    caller: Option<Caller>,
    pub(super) format: ResponseFormat,
    /// Whether a call that may have an effect has run, whose answer must not be refused.
    pub(super) has_effect: bool,
}

/// The format of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseFormat {
    /// `contracts::server::CallResponse`, with an audit.
    CallResponse,
    /// `contracts::envelope::ResponseEnvelope`.
    Envelope,
}

/// The SHA-256 of a request's body, as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy)]
pub(super) struct PayloadHash([u8; 64]);

/// What an answer is sent with beside its body.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) status: StatusCode,
    /// In whole seconds.
    pub(super) retry_after: Option<u64>,
    pub(super) body: Bytes,
}

/// A body's text as it stands in [`contracts::server`](tool_contracts::server).
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

/// How long a caller waits who is told to, where nobody knows how long.
const RETRY_SECONDS: u64 = 1;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Whose answer it is stands in headers of the request, which no cache on the way tells apart by.
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");

const SUCCESS: &str = r#"{"success":true,"output":"#;
const META: &str = r#","meta":"#;
const TRACE: &str = r#","audit":{"trace_id":"#;
const TOOL: &str = r#","tool_name":"#;
const LATENCY: &str = r#","status":"success","latency_ms":"#;
const HASH: &str = r#","request_payload_hash":""#;
const END: &str = r#""}}"#;

impl Heard {
    /// Starts with a request of which nothing is known but that it came.
    pub(super) fn now() -> Self {
        Self {
            started: Instant::now(),
            payload: PayloadHash::NOTHING,
            trace_id: None,
            tool_name: Box::default(),
            caller: None,
            format: ResponseFormat::CallResponse,
            has_effect: false,
        }
    }

    /// Notes the caller.
    pub(super) fn from(&mut self, parts: &Parts, principal: &Principal) {
        self.caller = Some(Caller::of(parts, principal));
    }

    /// Returns the caller, or the address of one that has proven nothing yet.
    pub(super) fn caller(&self, parts: &Parts) -> Caller {
        self.caller.clone().unwrap_or_else(|| Caller::peer(parts))
    }

    /// Returns the name of the principal, if it is proven; it stands in the log, and in no answer.
    #[cfg_attr(not(feature = "trace"), allow(dead_code, reason = "the log alone says it"))]
    pub(super) fn principal(&self) -> Option<&str> {
        self.caller.as_ref().and_then(Caller::name)
    }

    /// Notes the body, as it was sent.
    pub(super) fn body(&mut self, body: &[u8]) {
        self.payload = PayloadHash::of(body);
    }

    /// Takes all that is known, for an answer that outlives its request.
    pub(super) fn take(&mut self) -> Self {
        let (started, caller, format) = (self.started, self.caller.clone(), self.format);
        std::mem::replace(self, Self { started, caller, format, ..Self::now() })
    }

    fn latency_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl PayloadHash {
    /// Of a body that was not read.
    const NOTHING: Self =
        Self(*b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    pub(super) fn of(body: &[u8]) -> Self {
        Self(Digest::from_bytes(Sha256::digest(body).into()).digits())
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Debug for PayloadHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Outcome {
    /// Says what a tool answered.
    pub(super) fn success(data: &str, meta: Option<&str>, trace_id: &str, heard: &Heard) -> Self {
        let body = written(data, meta, trace_id, heard).into();
        Self { status: StatusCode::OK, retry_after: None, body }
    }

    /// Writes a tool's output as a response envelope; `INTERNAL` where the output is broken JSON.
    pub(super) fn envelope(output: &ToolOutput) -> Self {
        let envelope = output.to_envelope();
        let status = envelope.error().map_or(StatusCode::OK, |error| status::of_code(error.code()));
        let mut json = Vec::with_capacity(output.json().len() + 64);
        write(&mut json, &envelope);
        Self { status, retry_after: None, body: json.into() }
    }

    /// Says what went wrong, under this status.
    pub(super) fn failure(
        status: StatusCode,
        detail: &ToolErrorDetail,
        meta: Option<&str>,
        heard: &Heard,
    ) -> Self {
        let waits =
            matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let known = detail.retry_after_ms().map(|time| time.div_ceil(1_000).max(RETRY_SECONDS));
        let retry_after = known.or(waits.then_some(RETRY_SECONDS));
        let body = match heard.format {
            ResponseFormat::CallResponse => written_failure(detail, meta, heard),
            ResponseFormat::Envelope => written_envelope(detail, meta, heard),
        };
        Self { status, retry_after, body: body.into() }
    }

    /// Makes the response.
    pub(super) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(CACHE_CONTROL, NOT_KEPT);
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Finds an answer's `meta`, unless it says nothing but how long the one attempt took.
pub(super) fn told_meta(output: &ToolOutput) -> Option<&str> {
    // The time stands first in every `meta`.
    let says_more = |meta: &&str| meta.split_once(',').is_some_and(|it| it.1 != r#""attempts":1}"#);
    Some(output.meta_json()).filter(says_more)
}

fn written(data: &str, meta: Option<&str>, trace_id: &str, heard: &Heard) -> Vec<u8> {
    let (latency, tool) = (heard.latency_ms(), &*heard.tool_name);
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
    json.extend_from_slice(&heard.payload.0);
    json.extend_from_slice(END.as_bytes());
    json
}

fn written_failure(detail: &ToolErrorDetail, meta: Option<&str>, heard: &Heard) -> Vec<u8> {
    let error_type = detail.code().unwrap_or_else(|| detail.class().as_str());
    let made;
    let trace_id = if let Some(trace_id) = &heard.trace_id {
        trace_id
    } else {
        made = Uuid::now_v7().to_string();
        &*made
    };
    let audit = FailureAudit {
        trace_id,
        tool_name: &heard.tool_name,
        status: "error",
        latency_ms: heard.latency_ms(),
        request_payload_hash: heard.payload.as_str(),
        error_type,
        error_message: detail.message(),
    };
    let meta = meta.and_then(|meta| serde_json::from_str(meta).ok());
    let outer = told(detail);
    let detail = &*outer;
    let error = detail.message();
    let mut json = Vec::with_capacity(512);
    write(&mut json, &FailureBody { success: false, error, error_type, detail, meta, audit });
    json
}

/// Writes a failure as a response envelope. If no call was opened, `meta` holds the request's time.
fn written_envelope(detail: &ToolErrorDetail, meta: Option<&str>, heard: &Heard) -> Vec<u8> {
    let meta = meta.and_then(|meta| serde_json::from_str(meta).ok());
    let meta = meta.unwrap_or_else(|| ToolErrorMeta::new(heard.latency_ms()));
    let detail = told(detail).into_owned();
    let mut json = Vec::with_capacity(512);
    write(&mut json, &ResponseEnvelope::<()>::failure(detail, meta));
    json
}

/// Leaves out the type behind an error: a path in the host's program, which no caller can act on.
fn told(detail: &ToolErrorDetail) -> Cow<'_, ToolErrorDetail> {
    if detail.cause().is_none() {
        return Cow::Borrowed(detail);
    }
    Cow::Owned(detail.clone().into_builder().without_cause().build())
}

fn write<T: Serialize + ?Sized>(json: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(json, value).expect("texts and the contract's types are written as JSON");
}

/// How long a text is as JSON, its quotes included.
fn quoted_len(text: &str) -> usize {
    let of_byte = |byte| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    2 + text.bytes().map(of_byte).sum::<usize>()
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
