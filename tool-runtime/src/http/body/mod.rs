//! A request's body: JSON of a bounded size, in a bounded time, or a refusal that says which.

mod pace;
mod room;

use std::future::Future;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use bytes::BytesMut;
use serde::Deserialize;
use tool_contracts::ErrorCode;

use self::pace::Pace;
pub(super) use self::room::{Room, Share};
use super::answer::Heard;
use super::app::App;
use super::bounds::Bounds;
use super::problem::Problem;
use super::rate::Caller;
use crate::json;
use crate::limits::Limits;

#[cfg(test)]
mod tests;

/// A body that was read, and what it takes of the room for all.
#[derive(Debug)]
pub(super) struct Received {
    bytes: Bytes,
    share: Share,
}

/// Reads the whole body of a request whose caller is known, if its headers say that it is JSON and
/// it keeps the bounds.
pub(super) async fn read(
    app: &App,
    parts: &Parts,
    body: Body,
    heard: &Heard,
) -> Result<Received, Problem> {
    read_within(&parts.headers, body, &app.config.bounds, (&app.room, &heard.caller(parts))).await
}

async fn read_within(
    headers: &HeaderMap,
    body: Body,
    bounds: &Bounds,
    room: (&Arc<Room>, &Caller),
) -> Result<Received, Problem> {
    require_json(headers)?;
    require_plain(headers)?;
    let announced = body.size_hint().lower();
    if announced > u64::try_from(bounds.body_bytes).unwrap_or(u64::MAX) {
        return Err(too_large(bounds));
    }
    in_time(collect(body, bounds, room), bounds.body_time)
        .await
        .unwrap_or_else(|| Err(too_slow(bounds)))
}

/// Reads a body's text into one of the contract's types.
pub(super) fn parse<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let position = error.valid_up_to();
        malformed(format!("the body is not UTF-8 at byte {position}"), position)
    })?;
    serde_json::from_str(text).map_err(|error| refused(text, &error))
}

/// Waits for a future, no longer than this; what is ready at its second asking costs no timer.
///
/// Under hyper that is every body that came with its head: it is only handed on once it was asked
/// for, and the next time that the connection has its turn.
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

/// Puts the body's frames together; one alone is not copied.
async fn collect(
    mut body: Body,
    bounds: &Bounds,
    (room, caller): (&Arc<Room>, &Caller),
) -> Result<Received, Problem> {
    let mut pace = Pace::new(bounds.upload_rate);
    let mut share = Share::default();
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    let is_announced = body.size_hint().exact().is_some();
    while let Some(frame) = pace.frame(&mut body).await.map_err(|_| too_slowly(bounds))? {
        let frame = frame.map_err(|_| cut_off(is_announced))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = whole.len() + joined.len() + data.len();
        if length > bounds.body_bytes {
            return Err(too_large(bounds));
        }
        share.grow(room, caller, length)?;
        pace.received(data.len(), length);
        if whole.is_empty() && joined.is_empty() {
            whole = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut whole));
            joined.extend_from_slice(&data);
        }
    }
    let bytes = if joined.is_empty() { whole } else { joined.freeze() };
    Ok(Received { bytes, share })
}

impl Received {
    /// Lets go of the body, and keeps its share: of a call it is what the arguments take.
    pub(super) fn into_share(self) -> Share {
        self.share
    }
}

impl Deref for Received {
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

/// Tells whether a media type (RFC 9110, section 8.3.1) is JSON in UTF-8.
fn is_json(content_type: &HeaderValue) -> bool {
    // The one spelling that nearly everybody sends.
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

/// A character set has to be UTF-8, and other parameters say nothing about the bytes.
fn is_admitted_parameter(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return parameter.is_empty() };
    !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
}

/// Says why a body was not read: it is no JSON, or JSON of another form.
fn refused(text: &str, error: &serde_json::Error) -> Problem {
    if let Err(error) = json::read(text, &Limits::WIDEST) {
        return malformed(format!("the body is not readable: {error}"), error.position());
    }
    let message = error.to_string();
    let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    Problem::of(ErrorCode::InvalidArgument, format!("the body is not valid: {message}"))
}

fn malformed(message: String, position: usize) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
        .with_detail("position", position)
}

fn unsupported(message: &'static str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::InvalidArgument, message)
}

fn too_large(bounds: &Bounds) -> Problem {
    let limit = bounds.body_bytes;
    let message = format!("the body is longer than {limit} bytes; send less at a time");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::InvalidArgument, message)
        .with_detail("limit", limit)
}

fn too_slow(bounds: &Bounds) -> Problem {
    let limit = bounds.body_time.as_millis();
    let message = format!("the body did not arrive within {limit} ms; send it at once");
    Problem::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, message)
}

fn too_slowly(bounds: &Bounds) -> Problem {
    let rate = bounds.upload_rate;
    let message = format!("the body arrives at less than {rate} bytes a second; send it faster");
    Problem::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, message)
}

/// Where the caller has hung up nobody reads this; where the pieces of a body are no pieces, somebody
/// does.
fn cut_off(is_announced: bool) -> Problem {
    let message = if is_announced {
        "the body ended too early; send as much as `content-length` says"
    } else {
        "the body broke off; where it comes in chunks, each is as long as it says, and the last is \
         empty"
    };
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
}
