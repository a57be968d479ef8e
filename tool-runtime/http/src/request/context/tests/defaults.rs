//! Tests of the values that the host gives.

use serde_json::json;

use super::*;

fn village() -> Tenant {
    Tenant::parse("yantian").unwrap()
}

fn config() -> HttpConfig {
    HttpConfig::new(Auth::new())
}

impl TestRequest {
    fn served_by(self, config: HttpConfig) -> Self {
        Self { defaults: config.context_defaults, ..self }
    }
}

#[test]
fn a_program_without_tenants_needs_no_header() {
    let request = || TestRequest::default().served_by(config().without_tenants());
    let cx = request().context();
    assert!(cx.tenant_id().is_nil());
    assert_eq!(cx.site_id(), Some("local"));
    assert_ne!(cx.trace_id(), request().context().trace_id());
}

#[test]
fn without_defaults_all_three_are_required() {
    let rules: Vec<_> =
        TestRequest::default().refused().into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["required"; 3]);
}

#[test]
fn a_single_tenant_may_be_named_by_each_of_its_names_and_by_no_other() {
    let served = |request: TestRequest| request.served_by(config().single_tenant(village()));
    let id = village().id().to_string();
    for name in ["yantian", &id] {
        let request = TestRequest::needed().without("x-tenant-id").and("x-tenant-id", name);
        assert_eq!(served(request).context().tenant_id(), village().id());
    }
    let unnamed = TestRequest::needed().without("x-tenant-id");
    assert_eq!(served(unnamed).context().tenant_slug(), Some("yantian"));
    let other = TestRequest::needed().without("x-tenant-id").and("x-tenant-id", "other");
    check_refused(served(other), "single_tenant", &["X-Tenant-ID"]);
    let in_body = TestRequest::needed().without("x-tenant-id").body(&json!({"tenant_id": "other"}));
    check_refused(served(in_body), "single_tenant", &["context.tenant_id"]);
}

#[test]
fn a_single_tenant_is_held_to_the_principal() {
    let other = Principal::new("orchestrator").for_tenants([Tenant::parse("other").unwrap().id()]);
    let request = TestRequest::needed().without("x-tenant-id");
    let refused = request.served_by(config().single_tenant(village())).context_for(&other);
    assert_eq!(refused.unwrap_err().code, ErrorCode::Forbidden);
}

#[test]
fn a_request_may_name_another_site_than_the_default() {
    let served = |request: TestRequest| request.served_by(config().default_site("main").unwrap());
    let unnamed = TestRequest::needed().without("x-site-id");
    assert_eq!(served(unnamed).context().site_id(), Some("main"));
    let named = TestRequest::needed().without("x-site-id").and("x-site-id", "harbour");
    assert_eq!(served(named).context().site_id(), Some("harbour"));
    let in_body = TestRequest::needed().without("x-site-id").body(&json!({"site_id": "mill"}));
    assert_eq!(served(in_body).context().site_id(), Some("mill"));
    assert!(config().default_site("no\nsite").is_err());
}

#[test]
fn a_new_trace_id_replaces_no_id_that_the_request_gives() {
    let served = |request: TestRequest| request.served_by(config().new_trace_ids()).context();
    assert_eq!(served(TestRequest::needed()).trace_id(), "trace-1");
    let request = TestRequest::needed().without("x-trace-id").and("traceparent", PARENT);
    assert_eq!(served(request).trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
}
