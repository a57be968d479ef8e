//! Tests of the tenant.

use serde_json::json;

use super::*;

fn id() -> String {
    Tenant::parse("yantian").unwrap().id().to_string()
}

#[test]
fn is_the_same_under_both_of_its_names_and_keeps_the_slug() {
    let slug = json!({"tenant_id": "yantian"});
    let cx = TestRequest::needed()
        .without("x-tenant-id")
        .and("x-tenant-id", &id())
        .body(&slug)
        .context();
    assert_eq!(cx.tenant_slug(), Some("yantian"));
    let cx = TestRequest::needed().body(&json!({"tenant_id": id()})).context();
    assert_eq!(cx.tenant_slug(), Some("yantian"));
    let upper = id().to_uppercase();
    let cx = TestRequest::needed().body(&json!({"tenant_id": upper})).context();
    assert_eq!(cx.tenant_id().to_string(), id());
}

#[test]
fn is_refused_where_it_is_neither_slug_nor_uuid() {
    for name in ["Yantian", "two words", "_x", "beb0fa20bffc5f8493424d9d82896176"] {
        let request = TestRequest::needed().without("x-tenant-id").and("x-tenant-id", name);
        check_refused(request, "tenant", &["X-Tenant-ID"]);
    }
}

#[test]
fn is_one_that_the_principal_may_act_for() {
    let [own, other] = ["yantian", "other"].map(|slug| Tenant::parse(slug).unwrap().id());
    let principal = Principal::new("orchestrator").for_tenants([own]);
    assert!(TestRequest::needed().context_for(&principal).is_ok());
    let principal = Principal::new("orchestrator").for_tenants([other]);
    for request in [TestRequest::needed(), TestRequest::needed().body(&json!({"tenant_id": id()}))]
    {
        let problem = request.context_for(&principal).unwrap_err();
        assert_eq!((problem.status, problem.code), (StatusCode::FORBIDDEN, ErrorCode::Forbidden));
        assert_eq!(problem.trace_id.as_deref(), Some("trace-1"));
    }
}

#[test]
fn in_the_body_is_held_to_the_principal_too() {
    let other = Tenant::parse("other").unwrap().id();
    let principal = Principal::new("orchestrator").for_tenants([other]);
    let body = json!({"tenant_id": "yantian"});
    let request = TestRequest::needed().without("x-tenant-id").body(&body);
    assert_eq!(request.context_for(&principal).unwrap_err().code, ErrorCode::Forbidden);
}
