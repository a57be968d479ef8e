//! Decisions by a tool's permission and the host's access policy, before any approver is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::BoxFuture;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::policy::{AccessPolicy, AccessRequest, AccessVerdict, Decision, Policy};
use tool_runtime::prelude::*;

use super::fixture::{
    AccessResult, Fixture, SECRET, TENANT, approver, code, details, jane, reason, rule, ticket_in,
};

/// A till.
struct Till;

/// Works a till.
#[ai_toolkit]
impl Till {
    /// Opens it.
    #[ai_tool(effect = "write")]
    async fn open(&self, dry_run: &DryRun) -> bool {
        dry_run.is_active()
    }

    /// Counts what is in it.
    #[ai_tool(effect = "read")]
    async fn count(&self) -> u32 {
        3
    }
}

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;
const LOOK: &str = r#"{"what":"it"}"#;

#[tokio::test]
async fn a_tools_own_permission_wins_over_its_toolkits() {
    let fixture = Fixture::with(Policy::new(), |builder| {
        let builder = builder.toolkit(Till).permission("till", Permission::Ask);
        builder.permission("till.open", Permission::Allow)
    });
    assert!(fixture.answer("till.open", "{}").await.is_ok());
    ticket_in(&fixture.answer("till.count", "{}").await);
}

#[tokio::test]
async fn the_hosts_rule_allows_asks_denies_or_leaves_it_to_the_permission() {
    let by_amount = rule(|request| {
        Ok(match request.arguments::<serde_json::Value>()?["cents"].as_u64() {
            Some(1..=9) => AccessVerdict::Allow,
            Some(10..=99) => AccessVerdict::ask("more than 9"),
            Some(_) => AccessVerdict::deny("more than 99 is paid by hand"),
            None => AccessVerdict::ByPermission,
        })
    });
    let boss = approver(|request| match request.reason() {
        Some("more than 9") => Decision::approve("boss"),
        reason => Decision::decline("boss", format!("asked for {reason:?}")),
    });
    let fixture = Fixture::new(Policy::new().access(by_amount).approver(boss));
    assert!(fixture.answer("pay", r#"{"to":"joe","cents":9}"#).await.is_ok());
    assert_eq!(fixture.closed.last().approver, None, "no approval was requested");
    assert!(fixture.answer("pay", r#"{"to":"joe","cents":99}"#).await.is_ok());
    assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));

    let denied = fixture.answer("pay", r#"{"to":"joe","cents":100}"#).await;
    assert_eq!((&*code(&denied), &*reason(&denied)), ("FORBIDDEN", "denied_by_policy"));
    assert!(denied.error().unwrap().message().contains("more than 99 is paid by hand"));
    assert_eq!(fixture.closed.last().status, CallStatus::Rejected);

    let left = fixture.answer("pay", r#"{"to":"joe"}"#).await;
    assert_eq!(details(&left)["feedback"], "asked for None");
    assert_eq!(fixture.notes.all(), ["paid 9 to joe", "paid 99 to joe"]);
}

#[tokio::test]
async fn the_hosts_rule_sees_who_calls_what_with_which_arguments() {
    #[derive(serde::Deserialize)]
    struct Payment<'a> {
        to: &'a str,
        pin: &'a str,
    }
    let seeing = rule(|request| {
        assert_eq!((request.cx().user_id(), request.cx().tenant_id()), (Some("jane"), TENANT));
        assert_eq!((request.tool().name(), request.tool().effect()), ("pay", Effect::Write));
        let Payment { to, pin } = request.arguments()?;
        assert_eq!((to, pin), ("joe", SECRET));
        let preview = request.preview().to_string();
        assert!(preview.contains("joe") && !preview.contains(SECRET), "{preview}");
        assert!(!format!("{request:?}").contains(SECRET));
        Ok(AccessVerdict::Allow)
    });
    let fixture = Fixture::new(Policy::new().access(seeing));
    let output = fixture.answer("pay", &format!(r#"{{"to":"joe","pin":"{SECRET}"}}"#)).await;
    assert!(output.is_ok(), "{output}: {}", fixture.closed.last().log);
}

async fn check_denied_when_it_fails(access: impl AccessPolicy, log: &str) {
    let fixture = Fixture::new(
        Policy::new().access(access).approver(approver(|_| Decision::approve("boss"))),
    );
    for tool in ["pay", "look"] {
        let arguments = if tool == "pay" { PAYMENT } else { r#"{"what":"it"}"# };
        let output = fixture.answer(tool, arguments).await;
        assert_eq!((&*code(&output), &*reason(&output)), ("FORBIDDEN", "policy_failed"));
        assert!(!output.json().contains("database"), "{output}");
        assert!(fixture.closed.last().log.contains(log), "{:?}", fixture.closed.last());
    }
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_rule_that_fails_denies_and_only_the_log_says_why() {
    let log = "the database is away";
    check_denied_when_it_fails(rule(|_| Err("the database is away".into())), log).await;
    check_denied_when_it_fails(rule(|_| panic!("the database is away")), "panicked").await;
}

#[tokio::test]
async fn a_rule_that_panics_before_it_returns_a_future_denies_too() {
    struct ByHand;

    impl AccessPolicy for ByHand {
        fn decide<'a, 'b, 'c, 'f>(&'a self, _: &'b AccessRequest<'c>) -> BoxFuture<'f, AccessResult>
        where
            'a: 'f,
            'b: 'f,
            'c: 'f,
            Self: 'f,
        {
            panic!("the database is away")
        }
    }

    check_denied_when_it_fails(ByHand, "panicked").await;
}

/// A fixture whose rule and approver count how often they are asked, and allow everything.
fn counting(permission: Permission) -> (Fixture, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let (by_rule, by_boss) = (asked.clone(), asked.clone());
    let access = rule(move |_| {
        by_rule.fetch_add(1, Ordering::SeqCst);
        Ok(AccessVerdict::ask("always"))
    });
    let boss = approver(move |_| {
        by_boss.fetch_add(1, Ordering::SeqCst);
        Decision::approve("boss")
    });
    let policy = Policy::new().access(access).approver(boss);
    (Fixture::with(policy, |builder| builder.permission("pay", permission)), asked)
}

#[tokio::test]
async fn a_denied_tool_is_hidden_and_never_reaches_the_rule() {
    let (fixture, asked) = counting(Permission::Deny);
    assert!(fixture.runtime.spec("pay").is_none());
    assert!(fixture.runtime.specs().all(|spec| spec.name() != "pay"));
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    assert_eq!(call.status(), CallStatus::Rejected);
    assert!(call.approve("boss").is_err());
    assert_eq!(code(call.execute().await), "FORBIDDEN");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn no_approver_is_asked_about_invalid_arguments() {
    let (fixture, asked) = counting(Permission::Ask);
    let bad = ["{", "{}", r#"{"to":"joe","cents":0}"#, r#"{"to":"joe","too":1}"#, r#"{"to":""}"#];
    for arguments in bad {
        assert_eq!(
            code(&fixture.answer("pay", arguments).await),
            "INVALID_ARGUMENT",
            "{arguments}"
        );
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    assert_eq!(asked.load(Ordering::SeqCst), 2, "the rule and the approver");
}

#[tokio::test]
async fn a_dry_run_of_a_write_needs_no_approval_and_may_be_denied() {
    let dry = jane().with_dry_run(true);
    let boss = approver(|_| panic!("a dry run requests no approval"));
    let only_joe = rule(|request| {
        let arguments: serde_json::Value = request.arguments()?;
        let is_joe = arguments["to"] == "joe";
        Ok(if is_joe { AccessVerdict::ask("always") } else { AccessVerdict::deny("not joe") })
    });
    let fixture = Fixture::new(Policy::new().access(only_joe).approver(boss));
    let mut call = fixture.runtime.call("pay", PAYMENT, &dry);
    assert!(call.execute().await.is_ok());
    let mut call = fixture.runtime.call("pay", r#"{"to":"eve"}"#, &dry);
    assert_eq!(code(call.execute().await), "FORBIDDEN");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_dry_run_of_a_read_asks_like_any_read() {
    let dry = jane().with_dry_run(true);
    let by_permission = Fixture::with(Policy::new(), |it| it.permission("look", Permission::Ask));
    let by_rule = Fixture::new(Policy::new().access(rule(|_| Ok(AccessVerdict::ask("always")))));
    for fixture in [by_permission, by_rule] {
        let answer = fixture.runtime.call("look", LOOK, &dry).execute().await.clone();
        let ticket = ticket_in(&answer);
        assert!(fixture.notes.is_empty(), "the read ran without its approval");

        let mut call = fixture.runtime.tickets().resume(&ticket, &dry).await;
        call.approve("boss").unwrap();
        let answer = call.execute().await.clone();
        assert_eq!(answer.data_json(), Some(r#""it""#), "{answer}");
        assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));
    }
}

#[tokio::test]
async fn a_dry_run_of_a_read_that_is_denied_is_denied() {
    let fixture = Fixture::new(Policy::new().access(rule(|_| Ok(AccessVerdict::deny("not now")))));
    let dry = jane().with_dry_run(true);
    let answer = fixture.runtime.call("look", LOOK, &dry).execute().await.clone();
    assert_eq!(code(&answer), "FORBIDDEN");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_batch_asks_about_a_dry_run_of_a_read() {
    let fixture = Fixture::with(Policy::new(), |it| it.permission("look", Permission::Ask));
    let arguments = serde_json::value::to_raw_value(&serde_json::json!({"what": "it"})).unwrap();
    let requests = [ToolCallRequest::new("call-1", "look", arguments)];
    let mut calls = fixture.runtime.call_all(&requests, &jane().with_dry_run(true));
    assert!(calls[0].needs_approval());
    let outputs = fixture.runtime.execute_all(&mut calls).await;
    ticket_in(outputs[0]);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_dry_run_before_the_approval_of_a_read_needs_the_reads_approval() {
    let fixture = Fixture::with(Policy::new(), |it| it.permission("look", Permission::Ask));
    let mut call = fixture.runtime.call("look", LOOK, &jane());
    let dry_run = call.dry_run().await;
    assert_eq!(code(&dry_run), "NEEDS_USER_CONFIRMATION");
    assert!(details(&dry_run)["ticket"].is_null(), "nothing waits: {dry_run}");
    assert!(fixture.notes.is_empty());

    call.approve("boss").unwrap();
    assert!(call.dry_run().await.is_ok());
    assert_eq!(fixture.notes.all(), ["looked at it"]);
}

#[tokio::test]
async fn a_dry_run_before_the_approval_of_a_read_counts_against_its_rate() {
    use tool_runtime::policy::{RateLimit, ToolPolicy};

    let limited = ToolPolicy::new().rate_limit(RateLimit::per_minute(1).unwrap());
    let fixture = Fixture::new(Policy::new().rules_for("look", limited));
    let call = fixture.runtime.call("look", LOOK, &jane());
    assert!(call.dry_run().await.is_ok());
    assert_eq!(code(&call.dry_run().await), "RATE_LIMITED");
    assert_eq!(fixture.notes.all().len(), 1);
}
