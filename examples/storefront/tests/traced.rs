//! Tests that a request's trace continues in the order service.

use tool_runtime::contracts::ClientApp;
use tool_runtime::contracts::trace_context::{TraceId, TraceParent};

use super::*;

/// Orders the stone, and returns the request and the `traceparent` that the service received.
async fn ordered(host: &Host) -> (RequestEnvelope, TraceParent) {
    let arguments = right_order(host).await;
    data(&call(host, "checkout.create_draft_order", arguments).await);
    let traces = host.orders().traces();
    let [Some(sent)] = &traces[..] else { panic!("one order, in a trace: {traces:?}") };
    (host.request().expect("a request"), sent.parse().expect("a traceparent"))
}

#[tokio::test]
async fn the_order_service_receives_the_trace_of_the_request() {
    let host = host().await;
    host.orders().lose_next_answer();
    let (request, sent) = ordered(&host).await;
    assert_eq!(request.client().map(tool_runtime::contracts::Client::app), Some(ClientApp::Web));
    assert_eq!(sent.trace_id(), TraceId::derived_from(request.request_id()));
    let of_request = request.trace().expect("a place in a trace").span_id();
    assert_ne!(sent.parent_id().to_string(), of_request, "it is the call's own span");
}

#[tokio::test]
async fn an_order_keeps_its_trace_when_its_service_starts_again() {
    let host = host().await;
    let (_, sent) = ordered(&host).await;
    let again = OrderService::start(&host.files().orders()).await.expect("it starts");
    assert_eq!(again.traces(), [Some(sent.to_string())]);
}
