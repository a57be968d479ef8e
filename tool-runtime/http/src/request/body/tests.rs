use std::convert::Infallible;
use std::pin::Pin;
use std::task::Context;

use futures::{StreamExt as _, stream};
use hyper::body::{Frame, SizeHint};
use tool_contracts::server::CallRequest;

use super::*;
use crate::tests::fixture::PendingBody;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (name.parse().expect("a name"), value.parse().expect("a value"))
    };
    pairs.iter().map(pair).collect()
}

fn json() -> HeaderMap {
    headers(&[("content-type", "application/json")])
}

fn limits(bytes: usize) -> RequestLimits {
    RequestLimits { max_body_bytes: bytes, ..RequestLimits::default() }
}

/// A body of unknown length, in these frames.
fn frames(frames: &'static [&'static str]) -> Body {
    Body::from_stream(stream::iter(frames).map(|frame| Ok::<_, Infallible>(*frame)))
}

/// Reads a body with a fresh quota.
async fn read(headers: &HeaderMap, body: Body, limits: &RequestLimits) -> Result<Bytes, Problem> {
    let quota = Arc::new(limits.body_quota());
    let read = read_within(headers, body, limits, (&quota, &Caller::unknown())).await;
    read.map(|received| received.bytes)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(read: Result<T, Problem>, status: u16, message: &str) {
    let problem = read.expect_err("it is refused");
    assert_eq!((problem.status.as_u16(), &*problem.message), (status, message));
}

#[tokio::test]
async fn only_json_in_utf8_is_read() {
    let status = async |content_type: &str| {
        let headers = headers(&[("content-type", content_type)]);
        let read = read(&headers, Body::from("{}"), &RequestLimits::default()).await;
        read.map_or_else(|problem| problem.status.as_u16(), |_| 200)
    };
    for admitted in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json; profile=x",
        "application/json;",
        "application/vnd.api+json",
    ] {
        assert_eq!(status(admitted).await, 200, "{admitted}");
    }
    for refused in [
        "",
        "text/json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/+json",
        "application/a b+json",
        "application/json; charset=utf-16",
        "application/json, text/plain",
        "application/json x",
    ] {
        assert_eq!(status(refused).await, 415, "{refused}");
    }
}

#[tokio::test]
async fn a_body_says_once_what_it_is() {
    let message =
        "content-type: expected `application/json`, or a type that ends in `+json`, in UTF-8";
    let none = HeaderMap::new();
    refused(read(&none, Body::from("{}"), &limits(9)).await, 415, message);
    let mut twice = json();
    twice.append("content-type", HeaderValue::from_static("application/json"));
    refused(read(&twice, Body::from("{}"), &limits(9)).await, 415, message);
}

#[tokio::test]
async fn a_packed_body_is_refused() {
    let message = "content-encoding: expected none; send the body as it is";
    let packed = |how| headers(&[("content-type", "application/json"), ("content-encoding", how)]);
    refused(read(&packed("gzip"), Body::from("{}"), &limits(9)).await, 415, message);
    refused(read(&packed("identity, br"), Body::from("{}"), &limits(9)).await, 415, message);
    assert!(read(&packed("Identity"), Body::from("{}"), &limits(9)).await.is_ok());
}

#[tokio::test]
async fn a_body_may_be_as_long_as_the_limit() {
    let message = "the body is longer than 4 bytes; send a shorter one";
    assert_eq!(read(&json(), Body::from("1234"), &limits(4)).await.unwrap(), "1234");
    refused(read(&json(), Body::from("12345"), &limits(4)).await, 413, message);
    assert_eq!(read(&json(), frames(&["1", "2", "34"]), &limits(4)).await.unwrap(), "1234");
    refused(read(&json(), frames(&["1", "2", "345"]), &limits(4)).await, 413, message);
    refused(read(&json(), frames(&["12345"]), &limits(4)).await, 413, message);
    assert_eq!(read(&json(), frames(&["", "12", ""]), &limits(4)).await.unwrap(), "12");
}

/// A body whose length is known to be 5 bytes.
struct SizedBody(Body);

impl axum::body::HttpBody for SizedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(5)
    }
}

#[tokio::test]
async fn a_body_that_says_that_it_is_too_long_is_not_read() {
    let never = stream::poll_fn(|_| -> Poll<Option<Result<Bytes, Infallible>>> {
        panic!("what is too long is not read")
    });
    let announced = SizedBody(Body::from_stream(never));
    refused(
        read(&json(), Body::new(announced), &limits(4)).await,
        413,
        "the body is longer than 4 bytes; send a shorter one",
    );
}

#[tokio::test(start_paused = true)]
async fn a_body_has_to_arrive_in_time() {
    let slow = stream::once(async { Ok::<_, Infallible>("{") }).chain(stream::pending());
    let read = read(&json(), Body::from_stream(slow), &RequestLimits::default()).await;
    let message = "the body did not arrive within 10000 ms; send it at once";
    refused(read, 408, message);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let broken = || Body::from_stream(stream::iter([Ok("{"), Err(std::io::Error::other("gone"))]));
    let message = "the body ended early; send as many bytes as `content-length` declares";
    let announced = Body::new(SizedBody(broken()));
    refused(read(&json(), announced, &limits(9)).await, 400, message);
    let message = "the body ended early; in chunked encoding, each chunk has its declared length, and \
         the last one is empty";
    refused(read(&json(), broken(), &limits(9)).await, 400, message);
}

#[tokio::test]
async fn all_bodies_together_are_limited() {
    const LONG: usize = 20_000;
    let all = 2 * LONG;
    let limits = RequestLimits {
        max_buffered_bytes: all,
        max_buffered_bytes_per_caller: Some(all),
        ..limits(LONG)
    };
    let quota = Arc::new(limits.body_quota());
    let caller = Caller::unknown();
    let read = async |body: Body| read_within(&json(), body, &limits, (&quota, &caller)).await;
    let long = || Body::from("x".repeat(LONG));
    let full = "request bodies have used up the server's memory for them; retry later";

    let first = read(long()).await.expect("there is room");
    let permit = read(long()).await.expect("there is room").permit;
    refused(read(long()).await, 503, full);
    let half = || Ok::<_, Infallible>("x".repeat(LONG / 2));
    refused(read(Body::from_stream(stream::iter([half(), half()]))).await, 503, full);
    assert!(
        read(Body::from("x".repeat(crate::state::byte_quotas::UNCOUNTED))).await.is_ok(),
        "it is not counted"
    );
    drop(permit);
    assert!(read(Body::from_stream(stream::iter([half(), half()]))).await.is_ok());
    assert!(read(long()).await.is_ok(), "what was refused or dropped has released its permit");
    drop(first);
}

#[tokio::test]
async fn one_body_always_fits() {
    let limits = RequestLimits { max_buffered_bytes: 0, ..limits(20_000) };
    assert!(read(&json(), Body::from("x".repeat(20_000)), &limits).await.is_ok());
}

#[tokio::test]
async fn a_body_that_does_not_come_keeps_only_what_has_come() {
    let limits = RequestLimits { max_buffered_bytes: 40_000, ..limits(40_000) };
    let (quota, caller) = (Arc::new(limits.body_quota()), Caller::unknown());
    let begun = stream::once(async { Ok::<_, Infallible>("x".repeat(20_000)) });
    let slow = Body::from_stream(begun.chain(stream::pending()));
    let headers = json();
    let mut reading = Box::pin(read_within(&headers, slow, &limits, (&quota, &caller)));
    assert!(futures::poll!(reading.as_mut()).is_pending());
    let read = async |bytes: usize| {
        let body = Body::from("x".repeat(bytes));
        read_within(&headers, body, &limits, (&quota, &caller)).await.is_ok()
    };
    assert!(read(20_000).await && !read(20_001).await);
    drop(reading);
    assert!(read(40_000).await);
}

#[tokio::test]
async fn one_caller_cannot_fill_the_room_for_bodies() {
    const LONG: usize = 20_000;
    let limits = RequestLimits { max_buffered_bytes: 4 * LONG, ..limits(LONG) };
    let quota = Arc::new(limits.body_quota());
    let read = async |caller: &str| {
        let caller = Caller::known(caller);
        read_within(&json(), Body::from("x".repeat(LONG)), &limits, (&quota, &caller)).await
    };
    let held = [read("one").await, read("one").await];
    assert!(held.iter().all(Result::is_ok));
    let refused = read("one").await.expect_err("half of the limit is its quota");
    assert_eq!((refused.status.as_u16(), &refused.details["reason"]), (429, &"bodies".into()));
    assert!(read("two").await.is_ok(), "another caller has its own permit");
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_occupies_memory_and_stalls_is_given_up() {
    let begun = |bytes: usize| {
        stream::once(async move { Ok::<_, Infallible>("x".repeat(bytes)) }).chain(stream::pending())
    };
    let waited = async |bytes: usize, rate: u32| {
        let limits = RequestLimits { min_upload_rate: rate, ..limits(100_000) };
        let before = tokio::time::Instant::now();
        let read = read(&json(), Body::from_stream(begun(bytes)), &limits).await;
        assert_eq!(read.expect_err("it does not end").status.as_u16(), 408);
        before.elapsed().as_secs()
    };
    let (window, most) =
        (upload_rate::WINDOW.as_secs(), RequestLimits::default().body_timeout.as_secs());
    assert_eq!(waited(20_000, 10_000).await, window, "too little has come by then");
    assert_eq!(waited(16_000, 10_000).await, most, "a short body is not counted");
    assert_eq!(waited(20_000, 0).await, most, "there is no rate to keep");
    // A fast enough upload has the whole body timeout.
    let part = |n: u32| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok::<_, Infallible>("x".repeat(10_000)), n + 1))
    };
    let limits = RequestLimits { min_upload_rate: 9_000, ..limits(80_000) };
    let steady = Body::from_stream(stream::unfold(0, part).take(8));
    assert_eq!(read(&json(), steady, &limits).await.expect("it is whole").len(), 80_000);
}

#[track_caller]
fn check(body: &[u8], status: u16, message: &str, position: Option<usize>) {
    let problem = parse::<CallRequest>(body).expect_err("it is refused");
    assert_eq!((problem.status.as_u16(), &*problem.message), (status, message));
    let said = problem.details.get("position").and_then(serde_json::Value::as_u64);
    assert_eq!(said, position.map(|position| position as u64));
}

#[test]
fn a_body_that_is_no_json_is_refused_with_its_byte() {
    check(b"{\"tool_name\":\"\xff\"}", 400, "the body is not UTF-8 at byte 14", Some(14));
    let truncated = "the body is not readable: the JSON text ends too early, at byte 0";
    check(b"", 400, truncated, Some(0));
    let cut = "the body is not readable: the JSON text ends too early, at byte 19";
    check(b"{\"tool_name\":\"add\",", 400, cut, Some(19));
    let twice = "the body is not readable: not JSON: expected the end of the text at byte 21";
    check(b"{\"tool_name\":\"add\"}  {}", 400, twice, Some(21));
}

#[test]
fn a_body_of_another_form_is_refused_with_its_field() {
    let unknown = "{\"tool_name\":\"add\",\"inputs\":{}}";
    let problem = parse::<CallRequest>(unknown.as_bytes()).expect_err("it is refused");
    assert_eq!(problem.status, 422);
    assert!(problem.message.starts_with("the body is not valid: "), "{}", problem.message);
    assert!(problem.message.contains("`inputs`"), "{}", problem.message);
    assert!(!problem.message.contains(" at line "), "{}", problem.message);

    let missing = parse::<CallRequest>(b"{}").expect_err("it is refused");
    assert!(missing.message.contains("`tool_name`"), "{}", missing.message);
    let twice = b"{\"tool_name\":\"add\",\"tool_name\":\"add\"}";
    let twice = parse::<CallRequest>(twice).expect_err("it is refused");
    assert_eq!(twice.status, 422);
    assert!(twice.message.contains("`tool_name`"), "{}", twice.message);
    assert_eq!(parse::<CallRequest>(b"[]").expect_err("it is refused").status, 422);
    assert_eq!(parse::<CallRequest>(b"7").expect_err("it is refused").status, 422);
}

#[test]
fn a_body_that_nests_without_end_is_refused() {
    let deep = format!("{{\"tool_name\":\"add\",\"context\":{}", "[".repeat(200_000));
    assert_eq!(parse::<CallRequest>(deep.as_bytes()).expect_err("it is refused").status, 400);
}

#[test]
fn the_input_stays_as_it_was_sent() {
    let body = b"{\"tool_name\":\"add\",\"input\":{\"a\" : 1.0, \"a\":2}}";
    let request: CallRequest = parse(body).expect("what the input says is not looked at");
    assert_eq!(request.input().get(), "{\"a\" : 1.0, \"a\":2}");
}

#[test]
fn a_body_that_came_with_its_head_costs_no_timer() {
    // Without tokio there is none to be had.
    let (headers, limits) = (json(), RequestLimits::default());
    let read = read(&headers, Body::new(PendingBody(1)), &limits);
    assert!(futures::executor::block_on(read).expect("it is read").is_empty());
}
