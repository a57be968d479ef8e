//! Tests of the trace id and the parent span.

use serde_json::json;

use super::*;

#[test]
fn is_said_by_the_first_place_that_says_one() {
    let body = json!({"trace_id": "of-body"});
    let mut request = TestRequest::needed()
        .and("x-request-id", "of-request")
        .and("traceparent", PARENT)
        .query("a=1&trace_id=of-query")
        .body(&body);
    assert_eq!(request.context().trace_id(), "trace-1");
    let less = || TestRequest::needed().without("x-trace-id").and("traceparent", PARENT);
    request = less().and("x-request-id", "of-request").query("trace_id=of-query").body(&body);
    assert_eq!(request.context().trace_id(), "of-request");
    assert_eq!(less().query("trace_id=of-query").body(&body).context().trace_id(), "of-query");
    assert_eq!(less().body(&body).context().trace_id(), "of-body");
    assert_eq!(less().context().trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
}

#[test]
fn in_the_body_beside_another_one_is_the_request_id() {
    let body = json!({"trace_id": "of-body"});
    let with_body = |request: TestRequest| {
        let cx = request.body(&body).context();
        (cx.trace_id().to_owned(), cx.request_id().map(str::to_owned))
    };
    let both = |trace: &str, request: &str| (trace.to_owned(), Some(request.to_owned()));
    assert_eq!(with_body(TestRequest::needed()), both("trace-1", "of-body"));
    let gateway = TestRequest::needed().and("x-request-id", "of-request");
    assert_eq!(with_body(gateway), both("trace-1", "of-body"));
    let other = TestRequest::needed().without("x-trace-id").and("x-request-id", "of-request");
    assert_eq!(with_body(other), both("of-request", "of-body"));
    let alone = TestRequest::needed().without("x-trace-id");
    assert_eq!(with_body(alone), ("of-body".to_owned(), None));
    let named = json!({"trace_id": "of-body", "request_id": "r-1"});
    let cx = TestRequest::needed().body(&named).context();
    assert_eq!((cx.trace_id(), cx.request_id()), ("trace-1", Some("r-1")));
}

#[test]
fn is_read_from_a_query_as_a_form_writes_it() {
    let request = || TestRequest::needed().without("x-trace-id");
    let cx = request().query("trace_id=a%2Fb+%E4%B8%A5").context();
    assert_eq!(cx.trace_id(), "a/b 严");
    for broken in ["trace_id=", "trace_id=%4", "trace_id=%zz", "trace_id=%ff", "trace_id=%0A"] {
        check_refused(TestRequest { query: Some(broken), ..request() }, "text", &["?trace_id="]);
    }
    check_refused(request().query("trace_id=a&trace_id=a"), "repeated", &["?trace_id="]);
}

#[test]
fn goes_on_in_the_span_of_its_parent() {
    let request = TestRequest::needed().without("x-trace-id").and("traceparent", PARENT);
    let cx = request.and("tracestate", "rojo=1").and("tracestate", "congo=2").context();
    let sent: Vec<_> = cx.trace_context().to_headers().collect();
    assert_eq!(sent[0].1, PARENT);
    assert_eq!(sent[1].1, "rojo=1,congo=2");
}

#[test]
fn keeps_another_name_of_the_parents_span_beside_it() {
    let request = TestRequest::needed().without("x-trace-id").and("traceparent", PARENT);
    let cx = request.and("x-span-id", "span-1").context();
    assert_eq!(cx.trace().unwrap().span_id(), "00f067aa0ba902b7");
    assert_eq!(cx.attributes()["span_id"], "span-1");
}

#[test]
fn keeps_the_hosts_own_id_in_the_span_of_its_parent() {
    let request = TestRequest::needed().and("traceparent", PARENT).and("x-span-id", "span-1");
    let cx = request.and("tracestate", "rojo=1").context();
    let sent: Vec<_> = cx.trace_context().to_headers().collect();
    assert_eq!((cx.trace_id(), &*sent[0].1, &*sent[1].1), ("trace-1", PARENT, "rojo=1"));
    assert_eq!(cx.attributes()["span_id"], "span-1");
    assert_eq!(cx.attributes().len(), 1);
}

#[test]
fn keeps_the_form_of_a_uuid_and_is_its_parents() {
    let id = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736";
    let request = TestRequest::needed().without("x-trace-id").and("x-trace-id", id);
    let cx = request.and("traceparent", PARENT).context();
    assert_eq!((cx.trace_id(), cx.trace().unwrap().trace_id()), (id, None));
    assert_eq!(cx.trace_context().parent().to_string(), PARENT);
}

#[test]
fn is_none_for_an_invalid_parent() {
    let cx = TestRequest::needed().and("traceparent", SECRET).context();
    assert!(cx.trace().is_none() && cx.attributes().is_empty());
    let request = TestRequest::needed().without("x-trace-id").and("traceparent", SECRET);
    assert_eq!(request.refused()[0].0, "required");
}

#[test]
fn is_known_of_what_is_refused_too() {
    let problem = TestRequest::needed().without("x-site-id").context_for(&Principal::trusted("o"));
    assert_eq!(problem.unwrap_err().trace_id.as_deref(), Some("trace-1"));
}
