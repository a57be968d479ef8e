//! The rules of requests, and requests as contexts.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_contracts::{
    Actor, ActorType, Problem, ToolContext, ToolContextBuilder, envelope::RequestEnvelope, schemas,
};
use uuid::Uuid;

use crate::round_trip::values;

fn valid() -> Value {
    json!({"request_id": "req-7", "actor": {"type": "user", "id": "u_123"}})
}

fn read(request: &Value) -> Result<RequestEnvelope, String> {
    serde_json::from_str(&request.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(field: &str, value: Value, expectation: &str) {
    let mut request = valid();
    request[field] = value;
    let message = read(&request).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

fn fields_of(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(Problem::field).collect()
}

fn user() -> Actor {
    Actor::new(ActorType::User, "u_123").unwrap()
}

/// A context that an envelope can say, but for what a test adds.
fn context() -> ToolContextBuilder {
    let request = RequestEnvelope::builder("req-7", user()).build().unwrap();
    request.into_context_builder(Uuid::nil()).new_run_id()
}

#[test]
fn the_id_and_the_actor_are_enough() {
    let request = read(&valid()).unwrap();
    assert_eq!(serde_json::to_value(&request).unwrap(), valid());
    for field in ["request_id", "actor"] {
        let mut request = valid();
        request.as_object_mut().unwrap().remove(field);
        assert!(read(&request).unwrap_err().starts_with(&format!("`{field}`: missing")));
        check_refused(field, Value::Null, "missing");
    }
}

#[test]
fn fields_keep_to_their_types() {
    for field in ["request_id", "user_id", "session_id", "idempotency_key"] {
        check_refused(field, json!(""), "text that is not empty");
        check_refused(field, json!(7), "text that is not empty");
    }
    check_refused("actor", json!({"type": "robot", "id": "r2"}), "one of `user`, `agent`");
    check_refused("actor", json!({"type": "user", "id": ""}), "`id`: expected text");
    check_refused("locale", json!("en_US"), "BCP 47");
    check_refused("currency", json!("usd"), "ISO 4217");
    check_refused("timezone", json!("Los Angeles"), "IANA");
    check_refused("client", json!({"app": "tv", "version": "1"}), "one of `web`, `ios`, `android`");
    check_refused("dry_run", json!("yes"), "true or false");
    check_refused("trace", json!({"parent_span_id": "a"}), "`span_id`: missing");
    check_refused("tenant_id", json!("5aa31da6-9278-4da0-9f1a-61b8d3edc5cc"), "unknown field");
}

#[test]
fn a_field_that_is_given_twice_is_refused() {
    let twice = r#"{"request_id":"a","request_id":"b","actor":{"type":"user","id":"u"}}"#;
    let message = serde_json::from_str::<RequestEnvelope>(twice).unwrap_err().to_string();
    assert!(message.starts_with("`request_id`: given twice"), "{message}");
}

#[test]
fn the_builder_names_every_problem_at_once() {
    let builder = RequestEnvelope::builder("", user()).user_id("").session_id("");
    let builder = builder.idempotency_key("").locale("en_US").currency("usd").timezone("/");
    let refused = builder.build().unwrap_err();
    assert_eq!(
        fields_of(refused.problems()),
        [
            "request_id",
            "user_id",
            "session_id",
            "idempotency_key",
            "locale",
            "currency",
            "timezone"
        ],
    );
    assert!(refused.to_string().starts_with("RequestEnvelope: `request_id`: expected"));
}

#[test]
fn a_context_has_the_request_as_its_trace_and_a_new_run() {
    let tenant = Uuid::now_v7();
    let request = read(&valid()).unwrap();
    let (first, second) = (request.clone().into_context(tenant), request.into_context(tenant));
    assert_eq!(first.tenant_id(), tenant);
    assert_eq!((first.request_id(), first.trace_id()), (Some("req-7"), "req-7"));
    let id = first.run_id().unwrap().strip_prefix("run_").unwrap();
    assert_eq!(Uuid::try_parse(id).unwrap().get_version_num(), 7);
    assert_ne!(first.run_id(), second.run_id());
    assert_ne!(first.invocation_id(), second.invocation_id());
}

#[test]
fn a_host_adds_what_an_envelope_cannot_say() {
    let request = read(&valid()).unwrap();
    let cx = request.into_context_builder(Uuid::nil()).ingestion_run_id("upload-1").build();
    assert_eq!(cx.unwrap().ingestion_run_id(), Some("upload-1"));
    let request = read(&valid()).unwrap();
    let refused = request.into_context_builder(Uuid::nil()).build().unwrap_err();
    assert_eq!(fields_of(refused.problems()), ["run_id"]);
}

#[test]
fn a_context_without_request_or_actor_is_no_envelope() {
    let cx = ToolContext::builder(Uuid::nil(), "trace").new_run_id().build().unwrap();
    let refused = RequestEnvelope::try_from(&cx).unwrap_err();
    assert_eq!(fields_of(refused.problems()), ["request_id", "actor"]);
}

#[test]
fn a_trace_or_a_run_of_its_own_is_more_than_an_envelope_can_say() {
    let cx = ToolContext::builder(Uuid::nil(), "trace").request_id("req-7").actor(user());
    let refused = RequestEnvelope::try_from(&cx.run_id("graph-1").build().unwrap()).unwrap_err();
    assert_eq!(fields_of(refused.problems()), ["trace_id", "run_id"]);
    for run in [
        "run_7",
        "run_018f3b2c7d1e7c3a9b653f1f0f6f2a10",
        "run_0f4e6712-6d04-4514-b6cb-943b0667d45c",
        "018f3b2c-7d1e-7c3a-9b65-3f1f0f6f2a10",
    ] {
        let cx = context().run_id(run).build().unwrap();
        let refused = RequestEnvelope::try_from(&cx).unwrap_err();
        assert_eq!(fields_of(refused.problems()), ["run_id"], "{run}");
    }
}

/// Every field of a context, as its schema lists them, is in the envelope, made anew, or refused.
#[test]
fn no_field_of_a_context_is_dropped_in_silence() {
    let envelope_schema = properties("request_envelope.json");
    let made_anew = ["tenant_id", "trace_id", "run_id", "invocation_id", "now_iso"];
    let whole = serde_json::to_value(context().build().unwrap()).unwrap();
    for field in properties("tool_context.json") {
        if envelope_schema.contains(&field) || made_anew.contains(&field.as_str()) {
            continue;
        }
        let mut changed = whole.clone();
        changed[&field] = match field.as_str() {
            "timeouts_ms" | "budget_tokens" => json!(5),
            "allowances" => json!([{"name": "job-17", "amount": "1 EUR"}]),
            "auth" | "attributes" => json!({"key": "value"}),
            _ => json!("text"),
        };
        if field == "ingestion_run_id" {
            changed.as_object_mut().unwrap().remove("run_id");
        }
        let cx: ToolContext = serde_json::from_value(changed).unwrap();
        let refused = RequestEnvelope::try_from(&cx).unwrap_err();
        assert_eq!(fields_of(refused.problems()), [&field]);
        assert!(!refused.to_string().contains("value"), "{refused}");
    }
}

fn properties(file: &str) -> Vec<String> {
    let (_, schema) = schemas::all().into_iter().find(|(name, _)| *name == file).unwrap();
    schema.get("properties").unwrap().as_object().unwrap().keys().cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_envelope_comes_back_from_its_context(request in values::request_envelope()) {
        let cx = request.clone().into_context(Uuid::nil());
        prop_assert_eq!(RequestEnvelope::try_from(&cx).unwrap(), request);
    }

    /// The context is made without a check; its reader is the check.
    #[test]
    fn an_envelope_makes_a_valid_context(request in values::request_envelope()) {
        let cx = request.into_context(Uuid::now_v7());
        let read: ToolContext = serde_json::from_str(&serde_json::to_string(&cx).unwrap()).unwrap();
        prop_assert_eq!(read, cx);
    }

    #[test]
    fn a_context_that_turns_into_an_envelope_comes_back(request in values::request_envelope(), now in any::<u32>()) {
        let now = chrono::DateTime::from_timestamp(i64::from(now), 0).unwrap();
        let cx = request.into_context_builder(Uuid::nil()).new_run_id().now_iso(now).build().unwrap();
        let back = RequestEnvelope::try_from(&cx).unwrap().into_context_builder(cx.tenant_id());
        let back = back.run_id(cx.run_id().unwrap()).now_iso(now).invocation_id(cx.invocation_id());
        prop_assert_eq!(back.build().unwrap(), cx);
    }
}
