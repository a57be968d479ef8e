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
        assert_eq!(read.trace_context(), received(state));
    }
}

#[test]
fn a_trace_without_flags_is_sampled() {
    let trace = Trace::new(PARENT_ID).unwrap().with_parent_span_id("53995c3f42cd8ad8").unwrap();
    let context = holding(TRACE_ID, Some(trace)).trace_context();
    assert_eq!(context.parent().flags(), TraceFlags::SAMPLED);
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
fn ids_flags_and_state_are_checked_when_read() {
    for (field, value) in [
        ("trace_id", json!("trace-123")),
        ("trace_id", json!("4BF92F3577B34DA6A3CE929D0E0E4736")),
        ("trace_id", json!("00000000000000000000000000000000")),
        ("trace_id", json!("")),
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

#[test]
fn a_hosts_own_ids_stand_for_ids_of_the_specification() {
    let trace = |span_id: &str| Some(Trace::new(span_id).unwrap());
    let of_uuid = "4bf92f3577b34da6a3ce929d0e0e4736";
    // Python: uuid.uuid5(uuid.UUID("5f1b93eb-c010-41d2-8a4e-dad48008a2b2"), text).hex
    let (of_text, of_span) = ("76ab3c24eb1051b8ac610efee71a216f", "8a00bc33b62fc73d");
    for (rule, trace_id, trace, expected) in [
        ("both of the specification", TRACE_ID, trace(PARENT_ID), (TRACE_ID, PARENT_ID)),
        ("a text", "trace-123", trace(PARENT_ID), (of_text, PARENT_ID)),
        ("capitals", "4BF92F3577B34DA6A3CE929D0E0E4736", trace(PARENT_ID), (of_uuid, PARENT_ID)),
        ("a UUID", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", trace(PARENT_ID), (of_uuid, PARENT_ID)),
        ("a span's text", TRACE_ID, trace("span-1"), (TRACE_ID, of_span)),
        ("no span", "trace-123", None, (of_text, "ac610efee71a216f")),
    ] {
        let parent = *holding(trace_id, trace).trace_context().parent();
        let found = (parent.trace_id().to_string(), parent.parent_id().to_string());
        assert_eq!((&*found.0, &*found.1), expected, "{rule}");
    }
}

#[test]
fn ids_of_zeros_are_derived_as_any_text_is() {
    let zeros = ["00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000"];
    for trace_id in zeros {
        let trace = Some(Trace::new("0000000000000000").unwrap());
        let headers: Vec<_> = holding(trace_id, trace).trace_context().to_headers().collect();
        assert!(TraceContext::from_fields(headers).is_ok(), "{trace_id}");
    }
}

#[test]
fn a_hosts_own_id_stays_beside_the_trace_that_it_received() {
    let builder = ToolContext::builder(Uuid::nil(), "trace-123").run_id("run");
    let cx = builder.parent_trace(&received("rojo=1")).build().unwrap();
    assert_eq!((cx.trace_id(), cx.trace_context()), ("trace-123", received("rojo=1")));
    let expected =
        json!({"span_id": PARENT_ID, "trace_id": TRACE_ID, "flags": "01", "state": "rojo=1"});
    assert_eq!(serde_json::to_value(cx.trace()).unwrap(), expected);
    let read: ToolContext = serde_json::from_str(&serde_json::to_string(&cx).unwrap()).unwrap();
    assert_eq!(read, cx);
}

#[test]
fn a_trace_id_that_follows_from_the_hosts_is_not_said_twice() {
    for host_id in [TRACE_ID, "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"] {
        let builder = ToolContext::builder(Uuid::nil(), host_id).run_id("run");
        let cx = builder.parent_trace(&received("")).build().unwrap();
        assert_eq!(cx.trace().unwrap().trace_id(), None);
        assert_eq!(cx.trace_context(), received(""));
    }
}
