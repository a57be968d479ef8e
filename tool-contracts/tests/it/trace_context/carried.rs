//! A trace's context within a tool's.

use serde_json::{Value, json};
use tool_contracts::{
    ToolContext, Trace,
    trace_context::{TraceContext, TraceFlags, TraceState},
};
use uuid::Uuid;

use super::{PARENT_ID, SAMPLED, TRACE_ID};

fn received(state: &str) -> TraceContext {
    TraceContext::from_headers([SAMPLED], [state]).unwrap()
}

fn holding(trace_id: &str, trace: Option<Trace>) -> ToolContext {
    let builder = ToolContext::builder(Uuid::nil(), trace_id).run_id("run");
    trace.into_iter().fold(builder, tool_contracts::ToolContextBuilder::trace).build().unwrap()
}

fn read(trace: &Value) -> Result<Trace, String> {
    serde_json::from_str(&trace.to_string()).map_err(|error| error.to_string())
}

#[test]
fn a_tool_gets_the_trace_and_the_callers_span() {
    let builder = ToolContext::builder(Uuid::nil(), "other").run_id("run");
    let cx = builder.trace_context(&received("rojo=1,congo=2")).build().unwrap();
    assert_eq!(cx.trace_id(), TRACE_ID);
    assert_eq!(
        serde_json::to_value(cx.trace()).unwrap(),
        json!({"span_id": PARENT_ID, "flags": "01", "state": "rojo=1,congo=2"})
    );
}

#[test]
fn the_wire_gives_it_back_unchanged() {
    for state in ["", "rojo=1", "rojo= 1,tenant@congo=2"] {
        let builder = ToolContext::builder(Uuid::nil(), "other").run_id("run");
        let cx = builder.trace_context(&received(state)).build().unwrap();
        let text = serde_json::to_string(&cx).unwrap();
        let read: ToolContext = serde_json::from_str(&text).unwrap();
        assert_eq!(read.trace_context(), Some(received(state)));
    }
}

#[test]
fn a_host_with_other_ids_has_no_context() {
    let trace = |span_id: &str| Some(Trace::new(span_id).unwrap());
    for (rule, trace_id, trace) in [
        ("no place in a trace", TRACE_ID, None),
        ("another trace id", "trace-123", trace(PARENT_ID)),
        ("capitals", "4BF92F3577B34DA6A3CE929D0E0E4736", trace(PARENT_ID)),
        ("a UUID", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", trace(PARENT_ID)),
        ("zeros", "00000000000000000000000000000000", trace(PARENT_ID)),
        ("another span id", TRACE_ID, trace("span-1")),
        ("no span", TRACE_ID, trace("0000000000000000")),
    ] {
        assert_eq!(holding(trace_id, trace).trace_context(), None, "{rule}");
    }
}

#[test]
fn a_trace_without_flags_is_not_sampled() {
    let trace = Trace::new(PARENT_ID).unwrap().with_parent_span_id("53995c3f42cd8ad8").unwrap();
    let context = holding(TRACE_ID, Some(trace)).trace_context().unwrap();
    assert_eq!(context.parent().flags(), TraceFlags::default());
    assert_eq!(context.parent().parent_id().to_string(), PARENT_ID);
    assert!(context.state().is_empty());
}

#[test]
fn an_empty_state_is_none() {
    let trace = Trace::new("a").unwrap().with_state(TraceState::default());
    assert_eq!(trace.state(), None);
    assert_eq!(serde_json::to_value(&trace).unwrap(), json!({"span_id": "a"}));
}

#[test]
fn flags_and_state_are_checked_when_read() {
    for (field, value) in [
        ("flags", json!("1")),
        ("flags", json!("0A")),
        ("flags", json!("001")),
        ("flags", json!("+1")),
        ("flags", json!("")),
        ("flags", json!(1)),
        ("state", json!("")),
        ("state", json!("foo")),
        ("state", json!("Foo=1")),
        ("state", json!("foo=1,")),
        ("state", json!("foo=1, bar=2")),
        ("state", json!(" foo=1")),
        ("state", json!("foo=1,foo=2")),
        ("state", json!("foo=ü")),
        ("state", json!(["foo=1"])),
        ("state", json!((0..33).map(|at| format!("m{at}=1")).collect::<Vec<_>>().join(","))),
    ] {
        let message = read(&json!({"span_id": "a", field: value})).unwrap_err();
        assert!(message.starts_with(&format!("`{field}`: expected ")), "{message}");
    }
}

#[test]
fn flags_without_a_meaning_are_dropped_when_read() {
    let read = read(&json!({"span_id": "a", "flags": "fd", "state": null})).unwrap();
    assert_eq!((read.flags(), read.state()), (Some(TraceFlags::SAMPLED), None));
    assert_eq!(serde_json::to_value(&read).unwrap(), json!({"span_id": "a", "flags": "01"}));
}
