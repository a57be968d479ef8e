//! Tests of the problems of refused requests.

use serde_json::json;

use super::*;

#[test]
fn everything_that_is_missing_is_named_at_once() {
    let rules: Vec<_> = TestRequest::default().refused();
    let names: Vec<_> = rules.iter().map(|(rule, places)| (&**rule, &*places[0])).collect();
    let expected = ["X-Tenant-ID", "X-Site-ID", "X-Trace-ID"].map(|name| ("required", name));
    assert_eq!(names, expected);
}

#[test]
fn the_body_is_named_only_where_it_could_say_it() {
    let request = || TestRequest::needed().without("x-site-id");
    check_refused(request(), "required", &["X-Site-ID"]);
    let request = request().body(&json!({}));
    check_refused(request, "required", &["X-Site-ID", "context.site_id"]);
}

#[test]
fn contradictions_are_named_all_at_once() {
    let body = json!({
        "tenant_id": "other", "site_id": "x", "span_id": "x", "user_id": "x", "session_id": "x",
        "npc_id": "x", "idempotency_key": "x", "trace_id": "x",
    });
    let request = TestRequest::needed()
        .and("x-span-id", "span-1")
        .and("x-user-id", "u-1")
        .and("x-session-id", "s-1")
        .and("x-npc-id", "ancestor_yan")
        .and("idempotency-key", "key-1")
        .body(&body);
    let named = request.refused();
    assert!(named.iter().all(|(rule, places)| rule == "contradiction" && places.len() == 2));
    let bodies: Vec<_> = named.iter().map(|(_, places)| &*places[1]).collect();
    let fields = ["tenant", "site", "span", "user", "session", "npc"];
    let expected = fields.map(|field| format!("context.{field}_id"));
    assert_eq!(bodies[..6], expected);
    assert_eq!(bodies[6..], ["context.idempotency_key"]);
}

#[test]
fn all_problems_of_a_request_are_reported_together() {
    let request = TestRequest::needed()
        .without("x-trace-id")
        .and("x-user-id", "")
        .and("x-npc-id", "a")
        .and("x-npc-id", "a")
        .body(&json!({"site_id": "other"}));
    let rules: Vec<_> = request.refused().into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["text", "repeated", "required", "contradiction"]);
}

#[test]
fn a_text_has_1_to_256_characters_of_utf8_and_no_control_character() {
    check_refused(TestRequest::needed().and("x-user-id", ""), "text", &["X-User-ID"]);
    check_refused(TestRequest::needed().and("x-user-id", "a\tb"), "text", &["X-User-ID"]);
    check_refused(TestRequest::needed().and("x-user-id", "a\u{85}b"), "text", &["X-User-ID"]);
    check_refused(TestRequest::needed().and_bytes("x-user-id", b"\xff"), "text", &["X-User-ID"]);
    let long = "严".repeat(256);
    assert_eq!(TestRequest::needed().and("x-user-id", &long).context().user_id(), Some(&*long));
    let longer = "严".repeat(257);
    check_refused(TestRequest::needed().and("x-user-id", &longer), "text", &["X-User-ID"]);
}

#[test]
fn a_broken_field_is_not_reported_as_missing_too() {
    for (name, place) in
        [("x-tenant-id", "X-Tenant-ID"), ("x-site-id", "X-Site-ID"), ("x-trace-id", "X-Trace-ID")]
    {
        check_refused(TestRequest::needed().without(name).and(name, ""), "text", &[place]);
    }
}

#[test]
fn a_key_whose_quotes_do_not_hold() {
    for key in ["\"", "\"a", "\"a\"b\"", "\"a\"; b=1", "\"a\\b\"", "\"a\\\"", "\"é\"", "\"\""] {
        check_refused(
            TestRequest::needed().and("idempotency-key", key),
            "text",
            &["Idempotency-Key"],
        );
    }
}

#[test]
fn a_header_that_is_there_twice_even_if_it_says_the_same() {
    for (name, place) in [("x-tenant-id", "X-Tenant-ID"), ("x-trace-id", "X-Trace-ID")] {
        let value = TestRequest::needed().headers[name].to_str().unwrap().to_owned();
        let request = TestRequest::needed().and(name, &value).and(name, &value);
        check_refused(request, "repeated", &[place]);
    }
}

#[test]
fn no_value_is_told() {
    let broken = format!("{SECRET}\t");
    let request = TestRequest::needed()
        .and("x-user-id", &broken)
        .and("x-npc-id", SECRET)
        .and("idempotency-key", &format!("\"{SECRET}"))
        .and("x-tenant-id", SECRET)
        .query("trace_id=hunter2%00")
        .body(&json!({"npc_id": "hunter2-other", "site_id": SECRET}));
    let problem = request.context_for(&Principal::trusted("orchestrator")).unwrap_err();
    let problems = format!("{} {:?}", problem.message, problem.details);
    assert!(!problems.contains(SECRET), "{problems}");
    assert!(problems.contains("X-NPC-ID") && problems.contains("context.site_id"), "{problems}");
}
