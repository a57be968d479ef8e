//! Changes of the waiting calls arrive as server-sent events.

use axum::body::BodyDataStream;
use futures::StreamExt as _;
use tower::ServiceExt as _;

use super::*;

/// The events of a stream, as they arrive.
struct Events(BodyDataStream);

impl Events {
    async fn open(server: &ApprovalServer, query: &str) -> Self {
        let request = by("boss", headed(get(&format!("/approvals{query}"))));
        let request = with(request, "accept", "text/event-stream");
        let response = server.app.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self(response.into_body().into_data_stream())
    }

    /// Waits for the tickets of the next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Vec<String>> {
        loop {
            let chunk = self.0.next().await?.expect("a part of the body");
            let text = String::from_utf8(chunk.into()).expect("UTF-8");
            let Some((_, data)) = text.split_once("event: waiting\ndata: ") else { continue };
            let data: Value = serde_json::from_str(data.trim()).expect("JSON");
            let tickets = data["tickets"].as_array().expect("a list").iter();
            return Some(tickets.map(super::text).collect());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_change_of_a_page_is_an_event() {
    let server = ApprovalServer::new();
    let mut events = Events::open(&server, "").await;
    assert_eq!(events.next().await, Some(Vec::new()));
    let first = server.ask(&json!({"cents": 5})).await;
    assert_eq!(events.next().await, Some(vec![first.clone()]));
    let second = server.ask(&json!({"cents": 6})).await;
    assert_eq!(events.next().await, Some(vec![first.clone(), second.clone()]));
    let mut single = Events::open(&server, &format!("?ticket={first}")).await;
    assert_eq!(single.next().await, Some(vec![first.clone()]));
    assert_eq!(server.approve("boss", &first).await.status, 200);
    assert_eq!(events.next().await, Some(vec![second]));
    assert_eq!(single.next().await, Some(Vec::new()));
    // It ends by itself, so that its caller is authenticated again.
    assert_eq!(events.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_the_server_does() {
    let config = open();
    let drain = config.drain();
    let server = ApprovalServer::with(config, Policy::new());
    let mut events = Events::open(&server, "").await;
    assert_eq!(events.next().await, Some(Vec::new()));
    let before = tokio::time::Instant::now();
    drain.begin();
    assert_eq!(events.next().await, None);
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_caller_has_a_bounded_number_of_streams() {
    let config = open().max_streams(4).max_streams_per_caller(1);
    let server = ApprovalServer::with(config, Policy::new());
    let events = Events::open(&server, "").await;
    let request = by("boss", headed(get("/approvals")));
    let request = with(request, "accept", "text/event-stream");
    let refused = send(&server.app, request).await;
    check(&refused, 429, "streams");
    drop(events);
    Events::open(&server, "").await;
}
