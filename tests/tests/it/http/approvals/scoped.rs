//! Approvers decide about tools that their scopes cover; requesters keep their rights until the decision.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::ledger::{Ledger, Record, RecordedAccess};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::{Answer, Paid, PayJoeTool, check, check_documented, headed, post, send, text, with};
use crate::http::get;
use crate::ledger::{TestLedger, ring};

/// Pays ann.
#[ai_tool(effect = "write", version = "1.0.0", category = "wages")]
async fn pay_ann(
    paid: &Paid,
    dry_run: &DryRun,
    /// How much.
    cents: u32,
) -> String {
    if !dry_run.is_active() {
        paid.0.lock().unwrap().push(format!("paid ann {cents}"));
    }
    format!("{cents} to ann")
}

/// Empties the till. It is not meant for models.
#[ai_tool(effect = "write", version = "1.0.0", category = "upkeep", ai_callable = false)]
async fn empty_till(
    paid: &Paid,
    dry_run: &DryRun,
    /// How much stays in it.
    cents: u32,
) -> String {
    if !dry_run.is_active() {
        paid.0.lock().unwrap().push(format!("left {cents}"));
    }
    format!("{cents} left")
}

/// A server whose callers have keys, which the test may replace.
struct Bank {
    app: Router,
    keys: ApiKeys,
    named: Vec<(&'static str, ApiKey)>,
    paid: Paid,
    ledger: Ledger,
    kept: TestLedger,
}

const CALLERS: [&str; 3] = ["agent", "boss", "other"];

impl Bank {
    /// Opens with an agent that may call everything, and with these scopes of the boss.
    fn new(boss: &str) -> Self {
        let named = CALLERS.map(|name| (name, ApiKey::generate().unwrap()));
        let keys = ApiKeys::new(ApiKeySet::new());
        let (kept, paid) = (TestLedger::default(), Paid::default());
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let runtime =
            Runtime::builder().tool::<PayJoeTool>().tool::<PayAnnTool>().tool::<EmptyTillTool>();
        let runtime = runtime.state(paid.clone()).policy(Policy::new()).ledger(&ledger);
        let config = HttpConfig::new(Auth::new().api_keys(&keys)).ledger(&ledger);
        let app = http::router(runtime.build().unwrap(), config);
        let bank = Self { app, keys, named: named.into(), paid, ledger, kept };
        bank.grant(&[("agent", "tools internal"), ("boss", boss)]);
        bank
    }

    fn key(&self, caller: &str) -> &ApiKey {
        &self.named.iter().find(|(name, _)| *name == caller).unwrap().1
    }

    /// Replaces the scopes.
    fn grant(&self, scopes: &[(&'static str, &str)]) {
        let tenant = Tenant::parse("yantian").unwrap().id();
        let set = scopes.iter().fold(ApiKeySet::new(), |set, (name, scopes)| {
            let scopes: Scopes = scopes.parse().unwrap();
            let principal = Principal::new(*name).for_tenants([tenant]).with_scopes(scopes);
            set.with(self.key(name).hash(), principal).unwrap()
        });
        self.keys.replace(set);
    }

    async fn send(&self, caller: &str, request: Request<Body>) -> Answer {
        send(&self.app, with(request, "x-internal-api-key", self.key(caller).expose())).await
    }

    /// Makes a call as the agent, and returns the ticket's id.
    async fn ask(&self, tool: &str, cents: u32) -> String {
        let body = json!({"tool_name": tool, "input": {"cents": cents}}).to_string();
        let answer = self.send("agent", post("/tools/call", body)).await;
        assert_eq!(answer.status, 409, "{}", answer.text);
        text(&answer.json()["detail"]["details"]["ticket"]["id"])
    }

    async fn page(&self, query: &str) -> (Vec<String>, Option<String>) {
        let answer = self.send("boss", headed(get(&format!("/approvals{query}")))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let body = answer.json();
        let tickets = body["approvals"].as_array().unwrap();
        let next = body.get("next").map(text);
        (tickets.iter().map(|it| text(&it["ticket"])).collect(), next)
    }

    async fn decide(&self, ticket: &str, decision: &Value) -> Answer {
        let answer =
            self.send("boss", post(&format!("/approvals/{ticket}"), decision.to_string())).await;
        check_documented(&answer);
        answer
    }

    async fn approve(&self, ticket: &str) -> Answer {
        self.decide(ticket, &json!({"decision": "approve"})).await
    }

    /// Returns the rejected decisions.
    async fn refused(&self) -> Vec<RecordedAccess> {
        self.ledger.flush().await.unwrap();
        let access = |record| match record {
            Record::Access(access) if access.outcome == "refused" => Some(access),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }
}

fn decisions() -> [Value; 3] {
    let edit = json!({"decision": "edit", "arguments": {"cents": 3}});
    [json!({"decision": "approve"}), edit, json!({"decision": "decline"})]
}

#[tokio::test]
async fn an_approver_sees_and_decides_only_what_its_scopes_cover() {
    for (scopes, tool, covers) in [
        ("approvals", "pay_ann", false),
        ("approvals tools:pay_joe traces replay metrics internal", "pay_ann", false),
        ("approvals category:upkeep", "pay_ann", false),
        ("approvals approves:tools:pay_joe", "pay_ann", false),
        ("tools approvals", "pay_ann", true),
        ("approvals tools:pay_ann", "pay_ann", true),
        ("approvals category:wages", "pay_ann", true),
        ("approvals approves:tools:pay_ann", "pay_ann", true),
        ("approvals approves:category:wages", "pay_ann", true),
        ("approvals approves:tools", "pay_ann", true),
        ("approvals tools approves:tools", "empty_till", false),
        ("approvals tools:empty_till", "empty_till", false),
        ("approvals internal approves:tools", "empty_till", false),
        ("approvals internal tools", "empty_till", true),
        ("approvals approves:tools:empty_till approves:internal", "empty_till", true),
    ] {
        let bank = Bank::new(scopes);
        let ticket = bank.ask(tool, 5).await;
        let (listed, next) = bank.page("").await;
        assert_eq!((listed.len(), next), (usize::from(covers), None), "{scopes}: {tool}");
        if covers {
            let answer = bank.approve(&ticket).await;
            assert_eq!(answer.status, 200, "{scopes}: {}", answer.text);
            continue;
        }
        for decision in decisions() {
            let answer = bank.decide(&ticket, &decision).await;
            check(&answer, 403, "tool_not_covered");
            assert!(!answer.text.contains(tool), "the tool is not named: {}", answer.text);
        }
        assert_eq!(bank.paid.all(), [""; 0], "{scopes}");
        let refused = bank.refused().await;
        let told = |it: &RecordedAccess| (it.action.clone(), it.by.clone(), it.reason.clone());
        let expected = ["approve", "edit", "decline"]
            .map(|action| (action.into(), "key:boss".into(), "tool_not_covered".into()));
        assert_eq!(refused.iter().map(told).collect::<Vec<_>>(), expected, "{scopes}");
        bank.grant(&[("agent", "tools internal"), ("boss", "tools internal approvals")]);
        assert_eq!(bank.approve(&ticket).await.status, 200, "the ticket stays good");
    }
}

#[tokio::test]
async fn a_grant_to_approve_lets_nothing_be_called() {
    let bank = Bank::new("approvals approves:tools approves:internal");
    let body = json!({"tool_name": "pay_ann", "input": {"cents": 5}}).to_string();
    let answer = bank.send("boss", post("/tools/call", body)).await;
    assert_eq!((answer.status, &answer.json()["error_type"]), (403, &"FORBIDDEN".into()));
}

#[tokio::test]
async fn an_approver_is_not_told_how_a_ticket_of_another_tool_has_ended() {
    let bank = Bank::new("approvals tools:pay_joe");
    let ticket = bank.ask("pay_ann", 5).await;
    bank.grant(&[("agent", "tools"), ("boss", "tools approvals")]);
    assert_eq!(bank.approve(&ticket).await.status, 200);
    bank.grant(&[("agent", "tools"), ("boss", "tools:pay_joe approvals")]);
    let answer = bank.approve(&ticket).await;
    check(&answer, 403, "tool_not_covered");
    assert!(!answer.text.contains("pay_ann"), "{}", answer.text);
}

#[tokio::test]
async fn the_pages_of_an_inbox_are_full_whatever_else_waits() {
    let bank = Bank::new("approvals tools:pay_ann");
    let mut expected = Vec::new();
    for cents in 1..=5 {
        for tool in ["pay_joe", "empty_till", "pay_ann", "pay_joe"] {
            let ticket = bank.ask(tool, cents).await;
            if tool == "pay_ann" {
                expected.push(ticket);
            }
        }
    }
    expected.sort();
    let (mut listed, mut query, mut sizes) = (Vec::new(), "?limit=2".to_owned(), Vec::new());
    loop {
        let (page, next) = bank.page(&query).await;
        sizes.push(page.len());
        listed.extend(page);
        let Some(next) = next else { break };
        query = format!("?limit=2&after={next}");
    }
    assert_eq!((listed, sizes), (expected, vec![2, 2, 1]));
}

#[tokio::test]
async fn a_ticket_whose_requester_has_lost_the_tool_does_not_run() {
    let boss = ("boss", "tools internal approvals");
    let without: [&[(&str, &str)]; 3] =
        [&[boss], &[("agent", "tools:pay_joe internal"), boss], &[("other", "tools"), boss]];
    for left in without {
        let bank = Bank::new(boss.1);
        let ticket = bank.ask("pay_ann", 8).await;
        bank.grant(left);
        let [approve, edit, decline] = decisions();
        check(&bank.decide(&ticket, &approve).await, 409, "requester_not_allowed");
        check(&bank.decide(&ticket, &edit).await, 409, "requester_not_allowed");
        assert_eq!(bank.paid.all(), [""; 0]);
        let reasons: Vec<_> = bank.refused().await.into_iter().map(|it| it.reason).collect();
        assert_eq!(reasons, ["requester_not_allowed"; 2]);
        assert_eq!(bank.decide(&ticket, &decline).await.status, 200, "it may be declined");
    }
}

#[tokio::test]
async fn a_ticket_whose_requester_was_given_another_key_runs() {
    let mut bank = Bank::new("tools approvals");
    let ticket = bank.ask("pay_ann", 8).await;
    let renewed = ApiKey::generate().unwrap();
    bank.named.iter_mut().find(|(name, _)| *name == "agent").unwrap().1 = renewed;
    bank.grant(&[("agent", "category:wages"), ("boss", "tools approvals")]);
    assert_eq!(bank.approve(&ticket).await.status, 200);
    assert_eq!(bank.paid.all(), ["paid ann 8"]);
}
