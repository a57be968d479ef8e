//! The rules of W3C Trace Context, level 2, a row each.

mod carried;
mod parents;
pub(super) mod properties;
mod states;

use std::collections::BTreeSet;

use tool_contracts::trace_context::{
    SpanId, TRACEPARENT, TRACESTATE, TraceContext, TraceContextError,
};

const TRACE_ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID: &str = "00f067aa0ba902b7";
const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// The headers that a service forwards: it continues the received trace, or starts one.
struct Sent {
    trace_id: String,
    parent_id: String,
    flags: String,
    state: Option<String>,
}

/// Does what a service does between a request and one of its own, and takes the headers apart by
/// their positions, so that the module's own reader does not vouch for its writer.
#[track_caller]
fn send(received: &Result<TraceContext, TraceContextError>) -> Sent {
    let received = received.clone().unwrap_or_else(|_| TraceContext::start());
    let mut headers = received.child(SpanId::random()).to_headers();
    let (name, parent) = headers.next().unwrap();
    assert_eq!((name, parent.len(), &parent[..3]), (TRACEPARENT, 55, "00-"));
    let hex = |byte: u8| byte == b'-' || byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(parent.bytes().all(hex), "{parent}");
    assert_eq!((&parent[35..36], &parent[52..53]), ("-", "-"));
    let state = headers.next().map(|(name, state)| {
        assert_eq!(name, TRACESTATE);
        state
    });
    assert_eq!(headers.next(), None);
    let part = |from: usize, to: usize| parent[from..to].to_owned();
    Sent { trace_id: part(3, 35), parent_id: part(36, 52), flags: part(53, 55), state }
}

/// The trace goes on: with a new parent, these flags and this state.
#[track_caller]
fn check_continued(rule: &str, fields: &[(&str, &str)], flags: &str, state: Option<&str>) {
    let sent = send(&TraceContext::from_fields(fields.iter().copied()));
    assert_eq!((&*sent.trace_id, &*sent.flags), (TRACE_ID, flags), "{rule}");
    assert_ne!(sent.parent_id, PARENT_ID, "{rule}");
    assert_eq!(sent.state.as_deref(), state, "{rule}");
}

/// A trace starts, without what the state said.
#[track_caller]
fn check_restarted(rule: &str, fields: &[(&str, &str)], why: TraceContextError) {
    let received = TraceContext::from_fields(fields.iter().copied());
    assert_eq!(received, Err(why), "{rule}");
    let sent = send(&received);
    assert!(sent.trace_id != TRACE_ID && sent.parent_id != PARENT_ID, "{rule}");
    assert_eq!((&*sent.flags, sent.state), ("02", None), "{rule}");
}

#[test]
fn headers_are_found_by_name_in_any_case() {
    for (parent, state) in [
        ("traceparent", "tracestate"),
        ("TraceParent", "TraceState"),
        ("tRaCePaReNt", "tRaCeStAtE"),
        ("TRACEPARENT", "TRACESTATE"),
    ] {
        let fields = [("accept", "*/*"), (parent, SAMPLED), (state, "foo=1")];
        check_continued(parent, &fields, "01", Some("foo=1"));
    }
    for other in ["trace-parent", "trace.parent", "traceparent2", ""] {
        check_restarted(other, &[(other, SAMPLED)], TraceContextError::Missing);
    }
    for other in ["trace-state", "trace.state", "tracestate2", ""] {
        let fields = [(TRACEPARENT, SAMPLED), (other, "foo=1")];
        check_continued(other, &fields, "01", None);
    }
}

#[test]
fn a_request_without_a_single_parent_starts_a_trace() {
    let state = (TRACESTATE, "foo=1,bar=2");
    let (parent, other) = ((TRACEPARENT, SAMPLED), (TRACEPARENT, &*SAMPLED.replace("4b", "5c")));
    for (rule, fields, why) in [
        ("neither header", &[][..], TraceContextError::Missing),
        ("a state without a parent", &[state], TraceContextError::Missing),
        ("two parents", &[parent, other], TraceContextError::Repeated),
        ("the same parent twice", &[parent, state, parent], TraceContextError::Repeated),
        ("a parent and a broken one", &[(TRACEPARENT, ""), parent], TraceContextError::Repeated),
    ] {
        check_restarted(rule, fields, why);
    }
}

#[test]
fn each_request_sent_names_a_parent_of_its_own() {
    for (rule, parent) in [
        ("within a trace", Some(SAMPLED)),
        ("without a parent", None),
        ("with a broken parent", Some("00-00000000000000000000000000000000-00f067aa0ba902b7-01")),
    ] {
        let received = TraceContext::from_headers(parent, None::<&str>);
        let sent: Vec<Sent> = (0..3).map(|_| send(&received)).collect();
        let parents: BTreeSet<&str> = sent.iter().map(|sent| &*sent.parent_id).collect();
        assert_eq!(parents.len(), 3, "{rule}");
        for sent in &sent {
            assert_eq!(sent.trace_id == TRACE_ID, received.is_ok(), "{rule}");
        }
    }
}

#[test]
fn errors_name_the_place_and_quote_nothing() {
    for (parent, state, place) in [
        (Some("00-hunter2"), None, "trace id: "),
        (Some("hunter2"), None, "`traceparent`: "),
        (None, Some("hunter2"), "`tracestate`: "),
        (None, Some("a=hunter2=b"), "`tracestate`: "),
        (None, Some("Hunter2=b"), "`tracestate`: "),
    ] {
        let parent = parent.map(|parent| TraceContext::from_headers([parent], None::<&str>));
        let state = state.map(|state| tool_contracts::trace_context::TraceState::parse([state]));
        let refused = parent.map(Result::unwrap_err).or(state.map(Result::unwrap_err)).unwrap();
        let message = refused.to_string();
        assert!(message.starts_with(place), "{message}");
        assert!(!message.to_lowercase().contains("hunter2"), "{message}");
    }
}
