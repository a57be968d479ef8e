//! Tests of the fields that headers and body give.

use serde_json::json;

use super::*;

#[test]
fn headers_alone_make_a_context() {
    let cx = TestRequest::needed().context();
    assert_eq!(cx.tenant_id(), Tenant::parse("yantian").unwrap().id());
    assert_eq!(cx.tenant_slug(), Some("yantian"));
    assert_eq!((cx.site_id(), cx.trace_id()), (Some("main"), "trace-1"));
    assert!(cx.run_id().unwrap().starts_with("run_"));
    let actor = cx.actor().unwrap();
    assert_eq!((actor.kind(), actor.id()), (ActorType::System, "orchestrator"));
}

#[test]
fn the_body_alone_makes_a_context() {
    let body = json!({"tenant_id": "yantian", "site_id": "main", "trace_id": "trace-1"});
    let cx = TestRequest::default().body(&body).context();
    assert_eq!((cx.tenant_slug(), cx.site_id()), (Some("yantian"), Some("main")));
    assert_eq!(cx.trace_id(), "trace-1");
}

#[test]
fn every_optional_header_has_its_place() {
    let request = TestRequest::needed()
        .and("x-span-id", "span-1")
        .and("x-user-id", "u-1")
        .and("x-session-id", "s-1")
        .and("x-npc-id", "ancestor_yan")
        .and("x-request-id", "req-1")
        .and("idempotency-key", "key-1");
    let cx = request.context();
    assert_eq!(cx.trace().unwrap().span_id(), "span-1");
    assert_eq!((cx.user_id(), cx.session_id()), (Some("u-1"), Some("s-1")));
    assert_eq!(cx.attributes()["npc_id"], "ancestor_yan");
    assert_eq!((cx.request_id(), cx.idempotency_key()), (Some("req-1"), Some("key-1")));
}

#[test]
fn a_field_that_only_the_body_has_is_kept() {
    let body = json!({
        "run_id": "run-1", "request_id": "req-1", "locale": "zh-CN", "currency": "CNY",
        "timezone": "Asia/Shanghai", "timeouts_ms": 500, "dry_run": true,
    });
    let cx = TestRequest::needed().and("x-request-id", "gateway-1").body(&body).context();
    assert_eq!((cx.run_id(), cx.request_id()), (Some("run-1"), Some("req-1")));
    assert_eq!((cx.locale(), cx.currency()), (Some("zh-CN"), Some("CNY")));
    assert_eq!((cx.timezone(), cx.timeouts_ms()), (Some("Asia/Shanghai"), Some(500)));
    assert!(cx.dry_run());
}

#[test]
fn fields_about_the_work_in_a_body_reach_the_context() {
    let body = json!({
        "ingestion_run_id": "ingest-1", "workflow_id": "import", "collection_id": "records",
        "document_id": "scroll-12", "document_version_id": "scroll-12-v3", "case_id": "case-88",
        "budget_tokens": 4096, "safety_mode": "strict",
    });
    let cx = TestRequest::needed().body(&body).context();
    assert_eq!((cx.run_id(), cx.ingestion_run_id()), (None, Some("ingest-1")));
    assert_eq!((cx.workflow_id(), cx.collection_id()), (Some("import"), Some("records")));
    let document = (cx.document_id(), cx.document_version_id());
    assert_eq!(document, (Some("scroll-12"), Some("scroll-12-v3")));
    assert_eq!((cx.case_id(), cx.safety_mode()), (Some("case-88"), Some("strict")));
    assert_eq!(cx.budget_tokens(), Some(4096));
}

#[test]
fn a_header_that_says_the_same_as_the_body_adds_nothing() {
    let body = json!({"tenant_id": "yantian", "site_id": "main", "user_id": "u-1"});
    let cx = TestRequest::needed().and("x-user-id", "u-1").body(&body).context();
    assert_eq!((cx.site_id(), cx.user_id()), (Some("main"), Some("u-1")));
}

#[test]
fn texts_may_be_of_any_script() {
    let cx = TestRequest::needed().and("x-user-id", "严").context();
    assert_eq!(cx.user_id(), Some("严"));
}

#[test]
fn a_key_may_be_the_string_of_a_structured_field() {
    let quoted = r#""key \"7\" \\""#;
    let cx = TestRequest::needed().and("idempotency-key", quoted).context();
    assert_eq!(cx.idempotency_key(), Some(r#"key "7" \"#));
    let cx = TestRequest::needed()
        .and("idempotency-key", r#""key-7""#)
        .body(&json!({"idempotency_key": "key-7"}));
    assert_eq!(cx.context().idempotency_key(), Some("key-7"));
}
