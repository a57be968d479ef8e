//! Waiting calls are listed and decided over HTTP.

mod changes;
mod counted;
mod events;
mod racing;
mod refused;
mod scoped;
mod together;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::RuntimeBuilder;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes, Users};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::UnixMillis;
use tool_runtime::testing::{FaultyStore, ManualClock, StoreFault, StoreOperation};

use super::{Answer, get, open, post, send};

const SECRET: &str = "correct-horse-battery";

/// The payments.
#[derive(Debug, Clone, Default)]
struct Paid(Arc<Mutex<Vec<String>>>);

impl Paid {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Pays somebody.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn pay_joe(
    paid: &Paid,
    dry_run: &DryRun,
    /// How much.
    #[arg(range(1..=100))]
    cents: u32,
    /// The word that opens the till.
    #[arg(default, secret)]
    pin: String,
) -> String {
    let _ = pin;
    if !dry_run.is_active() {
        paid.0.lock().unwrap().push(format!("paid {cents}"));
    }
    format!("{cents} to joe")
}

/// A server where jane makes payments, and the boss decides.
struct ApprovalServer {
    app: Router,
    runtime: Runtime,
    paid: Paid,
    clock: ManualClock,
}

impl ApprovalServer {
    fn new() -> Self {
        Self::with(open(), Policy::new())
    }

    fn with(config: HttpConfig, policy: Policy) -> Self {
        Self::of(Runtime::builder(), config, policy)
    }

    fn of(builder: RuntimeBuilder, config: HttpConfig, policy: Policy) -> Self {
        let (paid, clock) = (Paid::default(), ManualClock::at(UnixMillis::new(1_800_000_000_000)));
        let policy = policy.clock(clock.clone());
        let runtime = builder.tool::<PayJoeTool>().state(paid.clone()).policy(policy);
        let runtime = runtime.build().unwrap();
        Self { app: http::router(runtime.clone(), config), runtime, paid, clock }
    }

    /// Makes a payment call as jane, and returns the ticket's id.
    async fn ask(&self, input: &Value) -> String {
        let body = json!({"tool_name": "pay_joe", "input": input}).to_string();
        let answer = send(&self.app, by("jane", post("/tools/call", body))).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        text(&answer.json()["detail"]["details"]["ticket"]["id"])
    }

    async fn waiting(&self, query: &str) -> Value {
        let request = by("boss", headed(get(&format!("/approvals{query}"))));
        let answer = send(&self.app, request).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    async fn decide(&self, who: &str, ticket: &str, decision: Value) -> Answer {
        let request = post(&format!("/approvals/{ticket}"), decision.to_string());
        let answer = send(&self.app, by(who, request)).await;
        check_documented(&answer);
        answer
    }

    async fn approve(&self, who: &str, ticket: &str) -> Answer {
        self.decide(who, ticket, json!({"decision": "approve"})).await
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("it is no text: {value}")).to_owned()
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    request
}

fn by(user: &str, request: Request<Body>) -> Request<Body> {
    with(request, "x-user-id", user)
}

fn headed(request: Request<Body>) -> Request<Body> {
    let request = with(request, "x-tenant-id", "yantian");
    with(with(request, "x-site-id", "yantian-main"), "x-trace-id", "trace-2")
}

/// Checks that the status and the code of a decision are in the guide's table.
#[track_caller]
fn check_documented(answer: &Answer) {
    const GUIDE: &str = include_str!("../../../../../tool-runtime/docs/http-clients.md");
    let body = answer.json();
    let Some(code) = body["error_type"].as_str() else { return };
    let (status, code) = (format!("| {} |", answer.status), format!("`{code}`"));
    let stands = |row: &str| row.starts_with(&status) && row.contains(&code);
    assert!(GUIDE.lines().any(stands), "no row of http-clients.md has {status} {code}: {body}");
}

#[track_caller]
fn check(answer: &Answer, status: u16, reason: &str) {
    let body = answer.json();
    check_documented(answer);
    assert_eq!(answer.status, status, "{body}");
    assert_eq!(body["detail"]["details"]["reason"], reason, "{body}");
    assert_eq!(body["success"], false);
}

#[tokio::test]
async fn a_waiting_call_is_found_by_its_ticket_until_it_is_decided_or_expires() {
    let approval_server = ApprovalServer::new();
    let first = approval_server.ask(&json!({"cents": 5})).await;
    let second = approval_server.ask(&json!({"cents": 6})).await;
    for ticket in [&first, &second] {
        let page = approval_server.waiting(&format!("?ticket={ticket}")).await;
        assert_eq!(page["approvals"].as_array().map(Vec::len), Some(1), "{page}");
        assert_eq!(page["approvals"][0]["ticket"], **ticket);
        assert!(page.get("next").is_none());
    }
    assert_eq!(approval_server.approve("boss", &first).await.status, 200);
    let none = json!({"approvals": []});
    assert_eq!(approval_server.waiting(&format!("?ticket={first}")).await, none);
    approval_server.clock.advance(Duration::from_secs(365 * 24 * 60 * 60));
    assert_eq!(approval_server.waiting(&format!("?ticket={second}")).await, none);
    let request = by("boss", headed(get("/approvals?ticket=7")));
    let refused = send(&approval_server.app, request).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert_eq!(refused.json()["error"], "query `ticket`: expected a UUID, once");
}

#[tokio::test]
async fn who_may_only_look_lists_waiting_calls_and_decides_none() {
    let looks: Scopes = "tools view_approvals".parse().unwrap();
    let watcher = Principal::new("watcher").for_every_tenant().with_scopes(looks);
    let watcher = watcher.with_users(Users::OfItsTenants);
    let config = HttpConfig::new(Auth::unauthenticated_as(watcher));
    let approval_server = ApprovalServer::with(config, Policy::new());
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    for query in ["", &format!("?ticket={ticket}")] {
        let page = approval_server.waiting(query).await;
        assert_eq!(page["approvals"][0]["ticket"], *ticket, "{page}");
        assert_eq!(page["approvals"][0]["may_decide"], false);
    }
    let declined = json!({"decision": "decline", "feedback": "no"});
    for decision in [json!({"decision": "approve"}), declined] {
        let refused = approval_server.decide("boss", &ticket, decision).await;
        check(&refused, 403, "scope");
    }
    assert_eq!(approval_server.paid.all(), [""; 0]);
    assert_eq!(approval_server.waiting("").await["approvals"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_waiting_call_is_listed_without_its_secrets() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5, "pin": SECRET})).await;
    let listed = approval_server.waiting("").await;
    let approval = &listed["approvals"][0];
    assert_eq!(approval["ticket"], ticket);
    assert_eq!(
        (&approval["tool_name"], &approval["version"]),
        (&"pay_joe".into(), &"1.0.0".into())
    );
    assert_eq!(
        (&approval["principal"], &approval["asked_by"]),
        (&"user:jane".into(), &"network:laptop".into())
    );
    assert_eq!(approval["arguments"]["cents"], 5);
    assert_eq!(approval["opened_at"], "2027-01-15T08:00:00Z");
    assert!(!listed.to_string().contains(SECRET), "{listed}");
    assert_eq!(listed.get("next"), None);
}

#[tokio::test]
async fn the_answer_or_failure_of_a_preview_function_is_listed() {
    let input = json!({"type": "object", "properties": {"cents": {"type": "integer"}}});
    let tool = DynamicTool::new("pay_joe_later", Effect::Write).description("Pays later.");
    let tool = tool.version("1.0.0").input_schema(input).handler(|_| async { Ok::<_, Failure>(1) });
    let tool = tool.preview(|call: CallScope| async move {
        let sent: Value = call.parse()?;
        match sent["cents"].as_u64() {
            Some(cents) => Ok(json!({"would pay": cents})),
            None => Err(Failure::from_code(ErrorCode::NotFound).with_message("no amount")),
        }
    });
    let approval_server =
        ApprovalServer::of(Runtime::builder().dynamic(tool), open(), Policy::new());
    for input in [json!({"cents": 5}), json!({})] {
        let body = json!({"tool_name": "pay_joe_later", "input": input}).to_string();
        assert_eq!(
            send(&approval_server.app, by("jane", post("/tools/call", body))).await.status,
            409
        );
    }
    let listed = approval_server.waiting("").await;
    let [shown, failed] = [&listed["approvals"][0], &listed["approvals"][1]];
    assert_eq!((&shown["preview"], shown.get("preview_error")), (&json!({"would pay": 5}), None));
    assert_eq!((failed.get("preview"), &failed["preview_error"]), (None, &"no amount".into()));
    let answer = approval_server.approve("boss", &text(&failed["ticket"])).await;
    assert_eq!((answer.status, &answer.json()["error_type"]), (404, &"NOT_FOUND".into()));
}

#[tokio::test]
async fn waiting_calls_are_listed_in_pages() {
    let approval_server = ApprovalServer::new();
    let mut asked = Vec::new();
    for cents in 1..=3 {
        asked.push(approval_server.ask(&json!({"cents": cents})).await);
    }
    asked.sort();
    let first = approval_server.waiting("?limit=2").await;
    let next = text(&first["next"]);
    let second = approval_server.waiting(&format!("?limit=2&after={next}")).await;
    let pages = [&first, &second].map(|page| page["approvals"].as_array().unwrap().clone());
    let listed: Vec<_> = pages.concat().iter().map(|it| text(&it["ticket"])).collect();
    assert_eq!(listed, asked);
    assert_eq!(second.get("next"), None);
    for query in ["?limit=0", "?limit=101", "?after=x"] {
        let answer = send(&approval_server.app, headed(get(&format!("/approvals{query}")))).await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.text);
    }
}

#[tokio::test]
async fn an_approved_call_runs_for_whom_it_was_opened_and_is_answered_like_any_call() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let answer = approval_server.approve("boss", &ticket).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["output"]), (200, &"5 to joe".into()));
    assert_eq!(body["success"], true);
    assert_eq!(body["audit"]["tool_name"], "pay_joe");
    assert_eq!(approval_server.paid.all(), ["paid 5"]);
    check(&approval_server.approve("boss", &ticket).await, 409, "ticket_used");
    assert_eq!(approval_server.waiting("").await["approvals"], json!([]));
    assert_eq!(approval_server.paid.all().len(), 1);
}

#[tokio::test]
async fn a_mask_in_an_edit_keeps_the_secret_and_no_pointer_names_what_is_inside_of_one() {
    let server = ApprovalServer::new();
    let ticket = server.ask(&json!({"cents": 5})).await;
    let masked = json!({"decision": "edit", "arguments": {"cents": 4, "pin": "***"}});
    let answer = server.decide("boss", &ticket, masked).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert!(answer.text.contains("masked"), "{}", answer.text);

    let ticket = server.ask(&json!({"cents": 5, "pin": SECRET})).await;
    let twice = r#"{"decision":"edit","arguments":{"cents":4,"pin":{"sk-1":1,"sk-1":2}}}"#;
    let request = by("boss", post(&format!("/approvals/{ticket}"), twice.to_owned()));
    let answer = send(&server.app, request).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert!(!answer.text.contains("sk-1"), "{}", answer.text);

    let kept = json!({"decision": "edit", "arguments": {"cents": 4, "pin": "***"}});
    let answer = server.decide("boss", &ticket, kept).await;
    assert_eq!((answer.status, &answer.json()["output"]), (200, &"4 to joe".into()));
    assert_eq!(answer.json()["meta"]["edits"], json!(["/cents"]), "the pin is as it was");
}

#[tokio::test]
async fn feedback_that_changes_the_direction_of_text_is_refused() {
    let server = ApprovalServer::new();
    let ticket = server.ask(&json!({"cents": 5})).await;
    let turned = json!({"decision": "decline", "feedback": "no \u{202e}sey"});
    assert_eq!(server.decide("boss", &ticket, turned).await.status, 422);
    let right_to_left = json!({"decision": "decline", "feedback": "לא"});
    assert_eq!(server.decide("boss", &ticket, right_to_left).await.status, 200);
}

#[tokio::test]
async fn an_edited_call_runs_as_edited_and_says_so() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let refused = json!({"decision": "edit", "arguments": {"cents": 500}});
    let answer = approval_server.decide("boss", &ticket, refused).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["error_type"]), (409, &"INVALID_ARGUMENT".into()), "{body}");
    assert_eq!(body["detail"]["details"]["violations"][0]["pointer"], "/cents");
    assert_eq!(approval_server.paid.all(), [""; 0]);
    let edited = json!({"decision": "edit", "arguments": {"cents": 4}});
    let answer = approval_server.decide("boss", &ticket, edited).await;
    assert_eq!(answer.json()["meta"]["edits"], json!(["/cents"]), "{}", answer.text);
    assert_eq!(approval_server.paid.all(), ["paid 4"]);
}

#[tokio::test]
async fn a_declined_call_never_runs() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let decline = json!({"decision": "decline", "feedback": "too much"});
    let answer = approval_server.decide("boss", &ticket, decline).await;
    let expected = json!({
        "ticket": ticket, "decision": "declined", "tool_name": "pay_joe", "feedback": "too much",
    });
    assert_eq!((answer.status, answer.json()), (200, expected));
    check(&approval_server.approve("boss", &ticket).await, 409, "ticket_declined");
    assert_eq!(approval_server.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_caller_does_not_approve_their_own_call() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    check(&approval_server.approve("jane", &ticket).await, 403, "own_call");
    let edit = json!({"decision": "edit", "arguments": {"cents": 4}});
    check(&approval_server.decide("jane", &ticket, edit).await, 403, "own_call");
    let unnamed = post(&format!("/approvals/{ticket}"), r#"{"decision":"approve"}"#);
    check(&send(&approval_server.app, unnamed).await, 403, "own_call");
    assert_eq!(approval_server.paid.all(), [""; 0]);
    assert_eq!(approval_server.approve("boss", &ticket).await.status, 200, "the ticket stays good");
}

#[tokio::test]
async fn a_caller_may_decline_their_own_call() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let answer = approval_server.decide("jane", &ticket, json!({"decision": "decline"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test]
async fn a_host_may_allow_callers_to_approve_their_own_calls() {
    let approval_server = ApprovalServer::with(open().four_eyes(false), Policy::new());
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    assert_eq!(approval_server.approve("jane", &ticket).await.status, 200);
}

#[tokio::test]
async fn another_tenants_calls_are_neither_seen_nor_decided() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let listed =
        send(&approval_server.app, with(headed(get("/approvals")), "x-tenant-id", "other")).await;
    assert_eq!(listed.json()["approvals"], json!([]));
    let decide = |ticket: &str| {
        let request = post(&format!("/approvals/{ticket}"), r#"{"decision":"approve"}"#);
        with(by("boss", request), "x-tenant-id", "other")
    };
    check(&send(&approval_server.app, decide(&ticket)).await, 404, "ticket_unknown");
    let absent = "0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a";
    check(&send(&approval_server.app, decide(absent)).await, 404, "ticket_unknown");
    assert_eq!(approval_server.paid.all(), [""; 0]);
}

#[tokio::test]
async fn an_expired_ticket_is_gone() {
    let approval_server =
        ApprovalServer::with(open(), Policy::new().ticket_lifetime(Duration::from_secs(60)));
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    approval_server.clock.advance(Duration::from_secs(60));
    check(&approval_server.approve("boss", &ticket).await, 410, "ticket_expired");
}

#[tokio::test]
async fn only_the_scope_decides() {
    let clerk = |scopes: &str| {
        let clerk = Principal::new("clerk").for_every_tenant().with_users(Users::OfItsTenants);
        Auth::unauthenticated_as(clerk.with_scopes(scopes.parse::<Scopes>().unwrap()))
    };
    let others = clerk("tools internal traces replay metrics");
    let approval_server = ApprovalServer::with(HttpConfig::new(others), Policy::new());
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    for request in [headed(get("/approvals")), post(&format!("/approvals/{ticket}"), "{}")] {
        let answer = send(&approval_server.app, request).await;
        assert_eq!((answer.status, &answer.json()["error_type"]), (403, &"FORBIDDEN".into()));
    }
    let approval_server = ApprovalServer::with(HttpConfig::new(clerk("approvals")), Policy::new());
    assert_eq!(send(&approval_server.app, headed(get("/approvals"))).await.status, 200);
}

#[tokio::test]
async fn a_decision_that_says_something_else_is_refused_whole() {
    let approval_server = ApprovalServer::new();
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    let bodies = [
        json!({}),
        json!({"decision": "maybe"}),
        json!({"decision": "edit"}),
        json!({"decision": "approve", "arguments": {"cents": 1}}),
        json!({"decision": "approve", "approver": "boss"}),
        json!({"decision": "decline", "feedback": 5}),
        json!([]),
    ];
    for body in bodies {
        let answer = approval_server.decide("boss", &ticket, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        let violations = &answer.json()["detail"]["details"]["violations"];
        assert!(violations.as_array().is_some_and(|it| !it.is_empty()), "{body}");
    }
    assert_eq!(
        approval_server.decide("boss", "not-an-id", json!({"decision": "approve"})).await.status,
        422
    );
    assert_eq!(approval_server.paid.all(), [""; 0]);
    assert_eq!(approval_server.waiting("").await["approvals"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_decision_is_not_taken_while_the_store_is_away() {
    let store = FaultyStore::new();
    let approval_server = ApprovalServer::with(open(), Policy::new().store(store.clone()));
    let ticket = approval_server.ask(&json!({"cents": 5})).await;
    store.fail_always(StoreOperation::Tickets, StoreFault::Fails);
    let answer = approval_server.decide("boss", &ticket, json!({"decision": "decline"})).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert!(!answer.header("retry-after").is_empty());
    store.clear_faults();
    assert_eq!(approval_server.waiting("").await["approvals"].as_array().unwrap().len(), 1);
}
