//! The rules of a call's context, and contexts as the core's.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_contracts::{
    Actor, ActorType, Client, ClientApp, ToolContext, Trace,
    server::{CallContext, Tenant},
    trace_context::TraceFlags,
};
use uuid::Uuid;

use crate::round_trip::values;

const IDS: [&str; 16] = [
    "site_id",
    "trace_id",
    "span_id",
    "user_id",
    "session_id",
    "npc_id",
    "run_id",
    "ingestion_run_id",
    "workflow_id",
    "collection_id",
    "document_id",
    "document_version_id",
    "case_id",
    "safety_mode",
    "request_id",
    "idempotency_key",
];

fn read(context: &Value) -> Result<CallContext, String> {
    serde_json::from_str(&context.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(field: &str, value: &Value, expectation: &str) {
    let message = read(&json!({ field: value })).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: expected {expectation}")), "{message}");
}

#[test]
fn an_id_has_1_to_256_characters_and_no_control_character() {
    for field in IDS {
        check_refused(field, &json!(""), "text that is not empty");
        for broken in ["a\nb", "a\u{7f}", "\u{85}", "a\u{200b}", "\u{202e}a", &"严".repeat(257)] {
            check_refused(field, &json!(broken), "text of 1 to 256 characters");
        }
        let longest = "严".repeat(256);
        let context = read(&json!({ field: longest })).unwrap();
        assert_eq!(serde_json::to_value(context).unwrap(), json!({ field: longest }));
    }
}

#[test]
fn the_type_of_an_actor_is_said_without_its_id() {
    let context = read(&json!({"actor_type": "agent"})).unwrap();
    assert_eq!(context.actor_type(), Some(ActorType::Agent));
    assert_eq!(serde_json::to_value(context).unwrap(), json!({"actor_type": "agent"}));
}

#[test]
fn the_other_fields_keep_to_their_rules() {
    check_refused("tenant_id", &json!("Yantian"), "a UUID with hyphens, or a slug");
    check_refused("tenant_id", &json!(7), "a UUID with hyphens, or a slug");
    check_refused("locale", &json!("english!"), "a well-formed BCP 47 tag");
    check_refused("currency", &json!("eur"), "three capital letters");
    check_refused("timezone", &json!("here!"), "a name as in the IANA database");
    check_refused("timeouts_ms", &json!(0), "more than 0");
    check_refused("timeouts_ms", &json!("5"), "a whole number");
    check_refused("budget_tokens", &json!(-1), "a whole number");
    check_refused("dry_run", &json!("yes"), "true or false");
    check_refused("actor_type", &json!("robot"), "one of `user`, `agent`, `system`");
    let long = format!("en-{}", ["abcdefgh"; 30].join("-"));
    check_refused("locale", &json!(long), "at most 256 characters");
}

#[test]
fn a_builder_names_every_problem_at_once() {
    let refused = CallContext::builder().site_id("").user_id("a\n").timeouts_ms(0).build();
    let problems = refused.unwrap_err();
    let fields: Vec<_> = problems.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(fields, ["site_id", "user_id", "timeouts_ms"]);
}

#[test]
fn null_is_absent_and_absent_is_not_written() {
    let nulls: Value = IDS.iter().map(|field| ((*field).to_owned(), Value::Null)).collect();
    let context = read(&nulls).unwrap();
    assert!(context.is_empty());
    assert_eq!(serde_json::to_string(&context).unwrap(), "{}");
}

#[test]
fn a_context_that_lacks_what_a_call_needs_names_all_of_it() {
    let refused = CallContext::default().into_context().unwrap_err();
    let fields: Vec<_> = refused.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(fields, ["tenant_id", "site_id", "trace_id"]);
}

#[test]
fn everything_has_its_place_in_the_core() {
    let context = read(&json!({
        "tenant_id": "yantian", "site_id": "main", "trace_id": "t-1", "span_id": "span-1",
        "user_id": "u-1", "session_id": "s-1", "npc_id": "n-1", "ingestion_run_id": "ingest-1",
        "workflow_id": "w-1", "collection_id": "c-1", "document_id": "d-1",
        "document_version_id": "v-1", "case_id": "case-1", "budget_tokens": 4096,
        "safety_mode": "strict",
        "request_id": "req-1", "locale": "zh-CN", "currency": "CNY", "timezone": "Asia/Shanghai",
        "timeouts_ms": 500, "idempotency_key": "key-1", "dry_run": true,
    }));
    let cx = context.unwrap().into_context().unwrap();
    let tenant = Tenant::parse("yantian").unwrap();
    let expected = ToolContext::builder(tenant.id(), "t-1")
        .tenant_slug("yantian")
        .site_id("main")
        .trace(Trace::new("span-1").unwrap())
        .user_id("u-1")
        .session_id("s-1")
        .attribute("npc_id", "n-1")
        .ingestion_run_id("ingest-1")
        .workflow_id("w-1")
        .collection_id("c-1")
        .document_id("d-1")
        .document_version_id("v-1")
        .case_id("case-1")
        .budget_tokens(4096)
        .safety_mode("strict")
        .request_id("req-1")
        .locale("zh-CN")
        .currency("CNY")
        .timezone("Asia/Shanghai")
        .timeouts_ms(500)
        .idempotency_key("key-1")
        .dry_run(true)
        .invocation_id(cx.invocation_id())
        .now_iso(cx.now_iso())
        .build();
    assert_eq!(cx, expected.unwrap());
}

#[test]
fn a_graphs_run_and_an_uploads_run_exclude_each_other() {
    let message = read(&json!({"run_id": "r", "ingestion_run_id": "i"})).unwrap_err();
    assert!(message.starts_with("`ingestion_run_id`: expected at most one of"), "{message}");
    let upload = read(&json!({"run_id": null, "ingestion_run_id": "i"})).unwrap();
    assert_eq!((upload.run_id(), upload.ingestion_run_id()), (None, Some("i")));
}

#[test]
fn a_run_is_made_where_none_is_said() {
    let context =
        || CallContext::builder().tenant_id(Uuid::nil().into()).site_id("s").trace_id("t");
    let runs = [(); 2].map(|()| context().build().unwrap().into_context().unwrap());
    let ids = runs.each_ref().map(|cx| {
        let id = cx.run_id().unwrap().strip_prefix("run_").unwrap();
        Uuid::try_parse(id).unwrap()
    });
    assert_ne!(ids[0], ids[1]);
    assert_eq!(ids[0].get_version_num(), 7);
    assert_eq!(ids, runs.map(|cx| cx.invocation_id()));
}

#[test]
fn a_context_that_says_more_than_a_body_can_is_refused_and_told_why() {
    let trace = Trace::new("span-1").unwrap().with_flags(TraceFlags::SAMPLED);
    let cx = ToolContext::builder(Uuid::nil(), "t".repeat(257))
        .run_id("r")
        .auth(serde_json::Map::new())
        .actor(Actor::new(ActorType::User, "u").unwrap())
        .client(Client::new(ClientApp::Web, "1").unwrap())
        .attribute("shop", "1")
        .trace(trace)
        .tenant_slug("yantian")
        .build();
    let refused = CallContext::try_from(&cx.unwrap()).unwrap_err();
    let fields: Vec<_> = refused.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(
        fields,
        ["site_id", "tenant_slug", "auth", "actor", "client", "attributes", "trace",],
    );
}

#[test]
fn an_id_that_is_too_long_for_a_body_is_refused() {
    let cx = ToolContext::builder(Uuid::nil(), "t".repeat(257)).run_id("r").site_id("s").build();
    let refused = CallContext::try_from(&cx.unwrap()).unwrap_err();
    assert_eq!(refused.problems()[0].field(), "trace_id");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_context_comes_back_from_the_core(
        drawn in values::call_context(),
        tenant in values::tenant(),
    ) {
        let complete = drawn.into_builder().tenant_id(tenant).site_id("s").trace_id("t");
        let has_upload = complete.clone().build().unwrap().ingestion_run_id().is_some();
        let complete = if has_upload { complete } else { complete.run_id("r") };
        let context = complete.build().unwrap();
        let back = CallContext::try_from(&context.clone().into_context().unwrap()).unwrap();
        // As text, because two names of one tenant are equal.
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&context).unwrap());
    }
}
