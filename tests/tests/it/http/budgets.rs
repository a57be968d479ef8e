//! Budgets over HTTP: what an approver sees, what a caller may spend, what an operator lists.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::budgets::{Allowances, Budget, BudgetScope, Decimal, OverLimit};
use tool_runtime::contracts::Allowance;
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes, Users,
};
use tool_runtime::ledger::{Ledger, Record, RecordedSpendingOutcome};
use tool_runtime::mcp::McpConfig;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::{Answer, get, post, send};
use crate::ledger::{TestLedger, ring};
use crate::mcp::http::stateless;

/// Pays a bill.
#[ai_tool(effect = "write")]
async fn pay_bill(
    dry_run: &DryRun,
    /// The amount.
    #[arg(spends = "EUR")]
    amount: Decimal,
) -> String {
    if dry_run.is_active() { format!("would pay {amount}") } else { format!("paid {amount}") }
}

/// A server with keys for its callers and 50 euros a day for each user; calls beyond them ask for approval.
struct Office {
    app: Router,
    keys: Vec<(&'static str, ApiKey)>,
    ledger: Ledger,
    recorded: TestLedger,
}

impl Office {
    fn new(permission: Permission, callers: &[(&'static str, &str)]) -> Self {
        Self::limiting(permission, callers, None)
    }

    /// Opens with these callers and their scopes; the first one has an allowance.
    fn limiting(
        permission: Permission,
        callers: &[(&'static str, &str)],
        allowance: Option<Allowance>,
    ) -> Self {
        let (mut set, mut keys) = (ApiKeySet::new(), Vec::new());
        for (number, (name, scopes)) in callers.iter().enumerate() {
            let key = ApiKey::generate().expect("a key");
            let scopes = scopes.parse::<Scopes>().expect("scopes");
            let principal = Principal::new(*name).for_every_tenant().with_scopes(scopes);
            let principal = principal.with_users(Users::OfItsTenants);
            let principal = match &allowance {
                Some(allowance) if number == 0 => principal.with_allowance(allowance.clone()),
                Some(_) | None => principal,
            };
            set = set.with(key.hash(), principal).expect("another key");
            keys.push((*name, key));
        }
        let recorded = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(recorded.clone()).expect("a ledger");
        let budget =
            Budget::new("office").per_day("50 EUR").scope(BudgetScope::User).over(OverLimit::Ask);
        let policy = Policy::new().budget(budget).budget(Allowances::new());
        let runtime = Runtime::builder().tool::<PayBillTool>().permission("pay_bill", permission);
        let runtime = runtime.policy(policy).ledger(&ledger).build().expect("a runtime");
        let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(set))).ledger(&ledger);
        let app = http::router(runtime, config.mcp(McpConfig::new("office", "1.0.0")));
        Self { app, keys, ledger, recorded }
    }

    async fn send(&self, caller: &str, user: &str, mut request: Request<Body>) -> Answer {
        let (_, key) = self.keys.iter().find(|(name, _)| *name == caller).expect("a caller");
        let headers = [
            ("x-internal-api-key", key.expose().to_owned()),
            ("x-user-id", user.to_owned()),
            ("x-tenant-id", "yantian".to_owned()),
            ("x-site-id", "yantian-main".to_owned()),
            ("x-trace-id", "trace-1".to_owned()),
        ];
        for (name, value) in headers {
            let value = HeaderValue::from_str(&value).expect("a header");
            request.headers_mut().insert(name, value);
        }
        send(&self.app, request).await
    }

    async fn pay(&self, caller: &str, user: &str, amount: &str) -> Answer {
        let body = json!({"tool_name": "pay_bill", "input": {"amount": amount}});
        self.send(caller, user, post("/tools/call", body.to_string())).await
    }

    async fn decide(&self, caller: &str, ticket: &Value, decision: Value) -> Answer {
        let ticket = ticket.as_str().expect("a ticket");
        let request = post(&format!("/approvals/{ticket}"), decision.to_string());
        self.send(caller, caller, request).await
    }

    async fn read(&self, caller: &str, path: &str) -> Answer {
        self.send(caller, caller, get(path)).await
    }
}

#[track_caller]
fn check(answer: &Answer, status: u16, reason: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.json()["detail"]["details"]["reason"], reason, "{}", answer.text);
}

#[tokio::test]
async fn an_approver_reads_what_is_left_now_and_needs_a_scope_to_exceed_it() {
    let callers = [
        ("agent", "tools"),
        ("boss", "tools approvals"),
        ("owner", "tools approvals exceed_budgets"),
    ];
    let office = Office::new(Permission::Ask, &callers);
    let waiting = async || office.read("boss", "/approvals").await.json()["approvals"].clone();
    for amount in ["40.00", "30.00"] {
        assert_eq!(office.pay("agent", "jane", amount).await.status, 409);
    }
    let approvals = waiting().await;
    assert_eq!(approvals[1]["budgets"], json!(["uses 30.00 of 50.00 EUR left today (office)"]));
    let approved =
        office.decide("boss", &approvals[0]["ticket"], json!({"decision": "approve"})).await;
    assert_eq!(approved.status, 200, "{}", approved.text);
    let approvals = waiting().await;
    assert_eq!(approvals[0]["budgets"], json!(["uses 30.00 of 10.00 EUR left today (office)"]));

    let ticket = &approvals[0]["ticket"];
    let refused = office.decide("owner", ticket, json!({"decision": "approve"})).await;
    check(&refused, 403, "budget_exceeded");
    let exceeding = json!({"decision": "approve", "exceed_budgets": true});
    check(&office.decide("boss", ticket, exceeding.clone()).await, 403, "scope");
    let approved = office.decide("owner", ticket, exceeding).await;
    assert_eq!((approved.status, &approved.json()["output"]), (200, &json!("paid 30.00")));
    assert_eq!(waiting().await, json!([]));
}

#[tokio::test]
async fn a_principal_cannot_spend_more_than_its_allowance() {
    let allowance = Allowance::new("agent", "20 EUR").expect("an allowance");
    let callers = [("agent", "tools"), ("desk", "tools")];
    let office = Office::limiting(Permission::Allow, &callers, Some(allowance));
    assert_eq!(office.pay("agent", "jane", "15").await.status, 200);
    // Another user of the same principal has the same allowance, and no request can name one.
    let refused = office.pay("agent", "bob", "6").await;
    check(&refused, 403, "budget_exceeded");
    let message = refused.json()["detail"]["message"].as_str().expect("a message").to_owned();
    assert!(
        message.contains("5.00 of 20.00 EUR are left of `allowance:agent` in all"),
        "{message}"
    );
    let body = json!({
        "tool_name": "pay_bill",
        "input": {"amount": "6"},
        "context": {"allowances": []},
    });
    let forged = office.send("agent", "bob", post("/tools/call", body.to_string())).await;
    assert_eq!(forged.status, 422, "{}", forged.text);
    assert_eq!(office.pay("desk", "bob", "6").await.status, 200);
}

#[tokio::test]
async fn an_allowance_counts_the_calls_over_both_protocols() {
    let allowance = Allowance::new("agent", "20 EUR").expect("an allowance");
    let office = Office::limiting(Permission::Allow, &[("agent", "tools")], Some(allowance));
    let call = |amount: &str| {
        let arguments = json!({"amount": amount});
        let params =
            json!({"name": "pay_bill", "arguments": arguments, "_meta": {"allowances": []}});
        office.send("agent", "jane", stateless("tools/call", params))
    };
    let paid = call("15").await;
    assert_eq!(paid.json()["result"]["isError"], false, "{}", paid.text);
    assert_eq!(office.pay("agent", "jane", "5.01").await.status, 403);
    let refused = call("5.01").await;
    assert_eq!(refused.json()["result"]["isError"], true, "{}", refused.text);
    assert!(refused.text.contains("5.00 of 20.00 EUR are left"), "{}", refused.text);
    assert_eq!(office.pay("agent", "jane", "5").await.status, 200);
}

#[tokio::test]
async fn refusals_are_counted_without_the_names_of_allowances() {
    let callers = [("agent", "tools"), ("scraper", "metrics tools")];
    let allowance = Allowance::new("job-17", "5.00 EUR").expect("an allowance");
    let office = Office::limiting(Permission::Allow, &callers, Some(allowance));
    for amount in ["5.01", "6"] {
        assert_eq!(office.pay("agent", "jane", amount).await.status, 403);
    }
    assert_eq!(office.pay("agent", "jane", "5").await.status, 200);
    let metrics = office.read("scraper", "/metrics").await.text;
    let labels = r#"{budget="allowances",limit="lifetime",unit="EUR"}"#;
    for line in [
        format!("tool_server_budget_refusals_total{labels} 2"),
        format!("tool_server_budget_spent_amount_total{labels} 5.0"),
    ] {
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
    assert!(!metrics.contains("job-17"), "{metrics}");
}

#[tokio::test]
async fn an_operator_lists_limits_and_sums_and_is_on_the_record() {
    let callers = [("agent", "tools"), ("auditor", "budgets"), ("scraper", "metrics tools")];
    let office = Office::new(Permission::Allow, &callers);
    for user in ["ann", "bob", "cem"] {
        assert_eq!(office.pay("agent", user, "12.50").await.status, 200);
    }
    check(&office.read("agent", "/budgets").await, 403, "scope");
    let first = office.read("auditor", "/budgets?limit=2").await;
    assert_eq!(first.status, 200, "{}", first.text);
    let first = first.json();
    let limit = json!({
        "budget": "office", "limit": "day", "unit": "EUR", "total": "50.00", "paused": false,
    });
    assert_eq!(first["limits"], json!([limit]));
    let next = first["next"].as_str().expect("a cursor");
    let second = office.read("auditor", &format!("/budgets?limit=2&after={next}")).await.json();
    assert!(second.get("next").is_none(), "{second}");
    let sums = [&first["sums"], &second["sums"]].map(|sums| sums.as_array().expect("sums").clone());
    let mut sums = sums.concat();
    sums.sort_by_key(|sum| sum["scope"].to_string());
    let scopes: Vec<_> = sums.iter().map(|sum| sum["scope"].as_str().expect("a scope")).collect();
    assert_eq!(scopes, ["user:ann", "user:bob", "user:cem"]);
    assert!(sums[0]["start"].is_string(), "{sums:?}");
    sums[0].as_object_mut().expect("an object").remove("start");
    let expected = json!({
        "budget": "office", "limit": "day", "scope": "user:ann", "unit": "EUR",
        "spent": "12.50", "reserved": "0.00", "total": "50.00", "left": "37.50", "paused": false,
    });
    assert_eq!(sums[0], expected);
    assert_eq!(office.read("auditor", "/budgets?after=x").await.status, 422);

    let metrics = office.read("scraper", "/metrics").await.text;
    let labels = r#"{budget="office",limit="day",unit="EUR"}"#;
    for line in [
        format!("tool_server_budget_spent_amount_total{labels} 37.5"),
        format!("tool_server_budget_reserved_amount_total{labels} 37.5"),
        format!("tool_server_budget_limit_amount{labels} 50.0"),
    ] {
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }

    office.ledger.flush().await.expect("the ledger is written");
    let records = office.recorded.records();
    let is_access =
        |record: &&Record| matches!(record, Record::Access(it) if it.action == "read_budgets");
    assert_eq!(records.iter().filter(is_access).count(), 2);
    let spending = records.iter().filter_map(Record::as_call).flat_map(|call| &call.spending);
    let spending: Vec<_> = spending.collect();
    assert_eq!(spending.len(), 3);
    for amount in spending {
        assert_eq!((&*amount.budget, &*amount.limit, &*amount.unit), ("office", "day", "EUR"));
        assert_eq!((&*amount.amount, amount.spent.as_deref()), ("12.50", Some("12.50")));
        assert_eq!(amount.outcome, RecordedSpendingOutcome::Spent);
    }
}
