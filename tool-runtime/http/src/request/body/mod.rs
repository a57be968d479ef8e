//! Reads a request's body: JSON of a bounded size, within a bounded time.

mod upload_rate;

use std::future::Future;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use bytes::BytesMut;
use serde::Deserialize;
use tool_contracts::ErrorCode;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json;

use self::upload_rate::UploadRate;
use super::context::RequestHead;
use crate::problem::Problem;
use crate::response::{PayloadHash, ReportFacts, RequestFacts, RequestStart};
use crate::state::app::SharedApp;
use crate::state::byte_quotas::{BodyPermit, BodyQuota};
use crate::state::caller::Caller;
use crate::state::config::RequestLimits;

#[cfg(test)]
mod tests;

/// An admitted request with its whole body.
#[derive(Debug)]
pub(crate) struct ReceivedRequest {
    parts: Parts,
    pub(crate) body: ReceivedBody,
    start: RequestStart,
    payload: PayloadHash,
}

/// A body that was read, with its permit of the quota.
#[derive(Debug)]
pub(crate) struct ReceivedBody {
    bytes: Bytes,
    permit: BodyPermit,
}

impl FromRequest<SharedApp> for ReceivedRequest {
    type Rejection = Problem;

    /// Reads the whole body of an admitted request, if its headers declare JSON and it keeps the
    /// limits.
    async fn from_request(request: Request, app: &SharedApp) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let start = *parts.extensions.get::<RequestStart>().ok_or_else(Problem::internal)?;
        // A request without a caller was not admitted, so its body is not read.
        let caller = parts.extensions.get::<Caller>().ok_or_else(Problem::internal)?;
        let quota = (&app.body_quota, caller);
        let body = read_within(&parts.headers, body, &app.config.limits, quota).await?;
        let payload = PayloadHash::compute(&body);
        Ok(Self { parts, body, start, payload })
    }
}

impl ReportFacts for ReceivedRequest {
    fn report(&self, facts: &mut RequestFacts) {
        facts.payload = self.payload;
    }
}

impl ReceivedRequest {
    /// Returns the part of the request before its body.
    pub(crate) fn head(&self) -> RequestHead<'_> {
        RequestHead::from_parts(&self.parts)
    }

    /// Returns the facts that the response of its handler reports, to which the handler adds its own.
    pub(crate) fn facts(&self) -> RequestFacts {
        RequestFacts { payload: self.payload, ..RequestFacts::new(self.start) }
    }

    /// Returns the query, without its `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        self.parts.uri.query()
    }

    /// Returns the head, the body with its hash, and the permit of the body.
    #[cfg(feature = "mcp")]
    pub(crate) fn into_parts(self) -> (Parts, (Bytes, PayloadHash), BodyPermit) {
        (self.parts, (self.body.bytes, self.payload), self.body.permit)
    }

    /// Drops the request and returns the permit of its body, which then counts for the arguments of
    /// its call.
    pub(crate) fn into_permit(self) -> BodyPermit {
        self.body.permit
    }
}

async fn read_within(
    headers: &HeaderMap,
    body: Body,
    limits: &RequestLimits,
    quota: (&Arc<BodyQuota>, &Caller),
) -> Result<ReceivedBody, Problem> {
    require_json(headers)?;
    require_plain(headers)?;
    let announced = body.size_hint().lower();
    if announced > u64::try_from(limits.max_body_bytes).unwrap_or(u64::MAX) {
        return Err(too_large(limits));
    }
    in_time(collect(body, limits, quota), limits.body_timeout)
        .await
        .unwrap_or_else(|| Err(too_slow(limits)))
}

/// Deserializes a body into a type of the contract.
pub(crate) fn parse<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let position = error.valid_up_to();
        malformed(format!("the body is not UTF-8 at byte {position}"), position)
    })?;
    serde_json::from_str(text).map_err(|error| refused(text, &error))
}

/// Waits for a future with a timeout; a future that is ready at its second poll needs no timer.
///
/// Every body that arrives together with its head is ready then: hyper passes it on after the first
/// poll.
async fn in_time<F: Future>(future: F, time: Duration) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut was_asked = false;
    let early = std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if was_asked => Poll::Ready(None),
        Poll::Pending => {
            was_asked = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    });
    match early.await {
        Some(output) => Some(output),
        None => tokio::time::timeout(time, future).await.ok(),
    }
}

/// Joins the body's frames; a single one is not copied.
async fn collect(
    mut body: Body,
    limits: &RequestLimits,
    (quota, caller): (&Arc<BodyQuota>, &Caller),
) -> Result<ReceivedBody, Problem> {
    let mut upload_rate = UploadRate::new(limits.min_upload_rate);
    let mut permit = BodyPermit::default();
    let mut first_chunk = Bytes::new();
    let mut joined = BytesMut::new();
    let is_announced = body.size_hint().exact().is_some();
    while let Some(frame) = upload_rate.frame(&mut body).await.map_err(|_| too_slowly(limits))? {
        let frame = frame.map_err(|_| cut_off(is_announced))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = first_chunk.len() + joined.len() + data.len();
        if length > limits.max_body_bytes {
            return Err(too_large(limits));
        }
        permit.grow(quota, caller, length)?;
        upload_rate.received(data.len(), length);
        if first_chunk.is_empty() && joined.is_empty() {
            first_chunk = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first_chunk));
            joined.extend_from_slice(&data);
        }
    }
    let bytes = if joined.is_empty() { first_chunk } else { joined.freeze() };
    Ok(ReceivedBody { bytes, permit })
}

impl Deref for ReceivedBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    match (types.next(), types.next()) {
        (Some(only), None) if is_json(only) => Ok(()),
        _ => Err(unsupported(
            "content-type: expected `application/json`, or a type that ends in `+json`, in UTF-8",
        )),
    }
}

fn require_plain(headers: &HeaderMap) -> Result<(), Problem> {
    let is_identity =
        |encoding: &HeaderValue| encoding.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(is_identity) {
        return Ok(());
    }
    Err(unsupported("content-encoding: expected none; send the body as it is"))
}

/// Returns whether a media type (RFC 9110, section 8.3.1) is JSON in UTF-8.
fn is_json(content_type: &HeaderValue) -> bool {
    // The most common spelling.
    if content_type.as_bytes() == b"application/json" {
        return true;
    }
    let Ok(text) = content_type.to_str() else { return false };
    let mut parts = text.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let subtype = media_type.strip_prefix("application/").unwrap_or_default();
    let is_json = subtype == "json" || subtype.strip_suffix("+json").is_some_and(is_token);
    is_json && parts.all(is_admitted_parameter)
}

fn is_token(text: &str) -> bool {
    let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// Accepts `charset=utf-8`, and any parameter other than `charset`.
fn is_admitted_parameter(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return parameter.is_empty() };
    !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
}

/// Returns the problem of a body that is not JSON, or JSON of another form.
fn refused(text: &str, error: &serde_json::Error) -> Problem {
    if let Err(error) = json::read(text, &Limits::WIDEST) {
        return malformed(format!("the body is not readable: {error}"), error.position());
    }
    let message = error.to_string();
    let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    Problem::from_code(ErrorCode::InvalidArgument, format!("the body is not valid: {message}"))
}

fn malformed(message: String, position: usize) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
        .with_detail("position", position)
}

fn unsupported(message: &'static str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::InvalidArgument, message)
}

fn too_large(limits: &RequestLimits) -> Problem {
    let limit = limits.max_body_bytes;
    let message = format!("the body is longer than {limit} bytes; send a shorter one");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::InvalidArgument, message)
        .with_detail("limit", limit)
}

fn too_slow(limits: &RequestLimits) -> Problem {
    let limit = limits.body_timeout.as_millis();
    let message = format!("the body did not arrive within {limit} ms; send it at once");
    Problem::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, message)
}

fn too_slowly(limits: &RequestLimits) -> Problem {
    let rate = limits.min_upload_rate;
    let message = format!("the body arrives at less than {rate} bytes a second; send it faster");
    Problem::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, message)
}

/// Returns the problem of a body that ended early: for clients that sent invalid chunked encoding.
/// If the client disconnected, the answer is discarded.
fn cut_off(is_announced: bool) -> Problem {
    let message = if is_announced {
        "the body ended early; send as many bytes as `content-length` declares"
    } else {
        "the body ended early; in chunked encoding, each chunk has its declared length, and the \
         last one is empty"
    };
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
}
