//! Budgets that demand a mandate: its signature, its user, and the tools, payees and amounts that it allows.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::budgets::{
    Budget, BudgetError, Decimal, MandateClaims, MandateKeys, MandateLimit, Payee,
    RuntimeBudgets as _,
};
use tool_runtime::contracts::{Actor, ActorType};
use tool_runtime::evidence::{EvidenceKeeper, Vault};
use tool_runtime::ledger::{Ledger, MemoryLedger};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;
use tool_runtime::testing::ManualClock;
use tool_runtime::{CallRecord, ToolOutput};

use crate::shop::{SATURDAY, reason, taken};

/// The key pair of RFC 8037, appendix A.
const SEED: [u8; 32] = [
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
];
const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

/// Saturday's seconds since the epoch.
const NOW: u64 = SATURDAY.get() / 1_000;
const HOUR: u64 = 3_600;

/// Orders something.
#[ai_tool(effect = "write", evidence)]
fn order(
    dry_run: &DryRun,
    /// The receiver of the money.
    payee: String,
    /// The amount.
    #[arg(spends(currency))]
    amount: Decimal,
    /// The currency.
    currency: String,
) -> String {
    if dry_run.is_active() { String::new() } else { format!("{amount} {currency} to {payee}") }
}

/// Orders something else.
#[ai_tool(effect = "write")]
fn order_more(
    dry_run: &DryRun,
    /// The amount.
    #[arg(spends = "EUR")]
    amount: Decimal,
) -> String {
    if dry_run.is_active() { String::new() } else { amount.to_string() }
}

/// Counts.
#[ai_tool(effect = "write")]
fn count(dry_run: &DryRun) -> bool {
    !dry_run.is_active()
}

fn pkcs8() -> Vec<u8> {
    let head = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04,
        0x20,
    ];
    [&head[..], &SEED].concat()
}

fn claims() -> MandateClaims {
    MandateClaims::new("https://bank.example", "mandate-17", "jane", NOW + HOUR)
        .agent("agent:shopper")
        .tool("order")
        .payee(Payee::new("shop-1", "The shop"))
        .limit(MandateLimit::new("EUR", "100.00").per_call("60.00"))
}

fn signed(claims: &MandateClaims) -> String {
    claims.sign("bank-1", &pkcs8()).expect("a mandate")
}

fn shopper(user: &str, agent: &str) -> ToolContext {
    let actor = Actor::new(ActorType::Agent, agent).expect("an actor");
    let cx =
        ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id(user).actor(actor);
    cx.build().expect("a context")
}

/// A runtime whose budget demands the mandate that is in the slot.
struct House {
    runtime: Runtime,
    mandate: Arc<Mutex<Option<Arc<str>>>>,
    mandates: Arc<Mutex<Vec<String>>>,
    clock: ManualClock,
}

impl House {
    fn new(permission: Permission) -> Self {
        let mandate = Arc::<Mutex<Option<Arc<str>>>>::default();
        let (slot, clock) = (mandate.clone(), ManualClock::at(SATURDAY));
        let keys = MandateKeys::new().key("https://bank.example", "bank-1", PUBLIC).expect("a key");
        let budget = Budget::new("mandated").per_day("90.00 EUR");
        let budget = budget.mandated(keys, move |_| slot.lock().expect("the slot").clone());
        let mandates = Arc::<Mutex<Vec<String>>>::default();
        let keys_of_records = || KeyRing::ephemeral().expect("keys");
        let vault = Vault::new(MemoryStore::new(), keys_of_records());
        let ledger = Ledger::builder(keys_of_records()).open(MemoryLedger::new(1_000));
        let ledger = ledger.expect("a ledger");
        let recorded = mandates.clone();
        let mut builder = Runtime::builder()
            .tool::<OrderTool>()
            .tool::<OrderMoreTool>()
            .tool::<CountTool>()
            .ledger(&ledger)
            .evidence(EvidenceKeeper::new(vault, &ledger))
            .observe(move |record: &CallRecord<'_>| {
                let mandates = record.spending().into_iter().filter_map(|it| it.mandate);
                recorded.lock().expect("the records").extend(mandates.map(|it| it.to_string()));
            });
        for tool in ["order", "order_more", "count"] {
            builder = builder.permission(tool, permission);
        }
        let policy = Policy::new().budget(budget).clock(clock.clone());
        let runtime = builder.policy(policy).build().expect("a runtime");
        Self { runtime, mandate, mandates, clock }
    }

    fn has(&self, mandate: &str) {
        *self.mandate.lock().expect("the slot") = Some(mandate.into());
    }

    async fn order(
        &self,
        cx: &ToolContext,
        payee: &str,
        amount: &str,
        currency: &str,
    ) -> ToolOutput {
        let arguments = json!({"payee": payee, "amount": amount, "currency": currency});
        self.runtime.call("order", arguments.to_string(), cx).execute().await.clone()
    }

    /// Orders at the mandated shop, as the mandated agent.
    async fn buy(&self, amount: &str) -> ToolOutput {
        self.order(&shopper("jane", "shopper"), "shop-1", amount, "EUR").await
    }
}

#[track_caller]
fn check(output: &ToolOutput, why: &str) {
    let message = output.error().map(|error| error.message().to_owned()).unwrap_or_default();
    assert_eq!(reason(output), "mandate", "{why}: {}", output.json());
    assert!(message.contains(why), "{why}: {message}");
}

#[tokio::test]
async fn a_call_spends_within_its_mandate_and_within_the_budget() {
    let house = House::new(Permission::Allow);
    check(&house.buy("10").await, "a person has to sign a mandate first");
    house.has(&signed(&claims()));
    let bought = house.buy("60.00").await;
    let expected = [["day", "60.00", "30.00", "90.00"], ["mandate", "60.00", "40.00", "100.00"]];
    assert_eq!(taken(&bought), expected, "{}", bought.json());
    check(&house.buy("60.01").await, "does not cover this amount");
    assert_eq!(reason(&house.buy("31").await), "budget_exceeded", "the budget's day");
    house.clock.advance(std::time::Duration::from_secs(2 * HOUR));
    house.has(&signed(
        &MandateClaims::new("https://bank.example", "mandate-17", "jane", NOW + 9 * HOUR)
            .tool("order")
            .limit(MandateLimit::new("EUR", "100.00")),
    ));
    // The next day has 90 euros, and the mandate, renewed under its id, has 40 left.
    let refused = house.buy("41").await;
    assert_eq!(reason(&refused), "budget_exceeded");
    let message = refused.error().expect("an error").message().to_owned();
    assert!(message.contains("40.00 of 100.00 EUR are left of `mandate` in all"), "{message}");
    assert!(house.buy("40").await.is_ok());
    // A write that spends nothing needs no mandate.
    let counted =
        house.runtime.call("count", "{}", &shopper("bob", "other")).execute().await.clone();
    assert!(counted.is_ok(), "{}", counted.json());
}

#[tokio::test]
async fn the_sum_of_a_mandate_is_not_raised() {
    let house = House::new(Permission::Allow);
    house.has(&signed(&claims()));
    assert!(house.buy("60").await.is_ok());
    let budgets = house.runtime.budgets();
    let periods = budgets.periods(Uuid::nil(), None, 10).await.expect("a list");
    let signed_sum = periods.iter().find(|period| &*period.account.limit == "mandate");
    let raised = budgets.raise(signed_sum.expect("the mandate's sum"), "100 EUR").await;
    assert!(matches!(raised, Err(BudgetError::Signed)), "{raised:?}");
}

#[tokio::test]
async fn a_mandate_covers_only_what_it_names() {
    let house = House::new(Permission::Allow);
    house.has(&signed(&claims()));
    let jane = shopper("jane", "shopper");
    for (cx, payee, currency, why) in [
        (shopper("bob", "shopper"), "shop-1", "EUR", "for another user or agent"),
        (shopper("jane", "other"), "shop-1", "EUR", "for another user or agent"),
        (jane.clone(), "shop-2", "EUR", "does not cover this payee"),
    ] {
        check(&house.order(&cx, payee, "1", currency).await, why);
    }
    let more = house.runtime.call("order_more", r#"{"amount":"1"}"#, &jane).execute().await.clone();
    check(&more, "does not cover this tool");
    house.clock.advance(std::time::Duration::from_secs(HOUR));
    check(&house.buy("1").await, "has expired");
    house.has(&signed(&claims().issued_at(NOW + 2 * HOUR)));
    check(&house.buy("1").await, "has expired, or is not valid yet");
    house.has(&signed(&claims().audience("another-shop")));
    check(&house.buy("1").await, "for another service");
}

#[tokio::test]
async fn a_text_that_nobody_signed_is_no_mandate() {
    let house = House::new(Permission::Allow);
    let good = signed(&claims());
    let parts: Vec<_> = good.split('.').collect();
    let other = signed(&claims().tool("order_more"));
    let forged = format!("{}.{}.{}", parts[0], other.split('.').nth(1).expect("claims"), parts[2]);
    let other_key = claims().sign("bank-2", &pkcs8()).expect("a mandate");
    let kind = signed_json(
        &json!({"typ": "tool-mandate+jwt", "alg": "EdDSA", "kid": "bank-1"}),
        |claims| {
            claims["vct"] = json!("mandate.payment.open.1");
        },
    );
    let unknown = signed_json(
        &json!({"typ": "tool-mandate+jwt", "alg": "EdDSA", "kid": "bank-1"}),
        |claims| {
            claims["cnf"] = json!({"jwk": {}});
        },
    );
    let amount = signed(&claims().limit(MandateLimit::new("USD", "1e3")));
    let twice = signed(&claims().limit(MandateLimit::new("EUR", "900.00")));
    let other_issuer = signed_json(
        &json!({"typ": "tool-mandate+jwt", "alg": "EdDSA", "kid": "bank-1"}),
        |claims| {
            claims["iss"] = json!("https://other.example");
        },
    );
    let login = signed_json(&json!({"typ": "JWT", "alg": "EdDSA", "kid": "bank-1"}), |_| {});
    let long = format!("{good}{}", "A".repeat(16 * 1024));
    for text in [
        "",
        "a.b.c",
        &forged,
        &other_key,
        &kind,
        &unknown,
        &amount,
        &twice,
        &other_issuer,
        &login,
        &long,
        &good[..good.len() - 4],
    ] {
        house.has(text);
        check(&house.buy("1").await, "the mandate is not valid");
    }
    house.has(&good);
    assert!(house.buy("1").await.is_ok());
}

/// Signs changed claims under another header.
fn signed_json(header: &Value, change: impl FnOnce(&mut Value)) -> String {
    let mut claims = serde_json::to_value(claims()).expect("claims");
    change(&mut claims);
    let header = serde_json::from_value(header.clone()).expect("a header");
    let key = jsonwebtoken::EncodingKey::from_ed_der(&pkcs8());
    jsonwebtoken::encode(&header, &claims, &key).expect("a token")
}

#[tokio::test]
async fn an_approval_is_for_the_mandate_that_the_approver_saw() {
    let house = House::new(Permission::Ask);
    house.has(&signed(&claims()));
    let ticket = async || {
        let waiting = house.buy("10").await;
        let details = waiting.error().and_then(|error| error.details()).expect("details");
        details["ticket"].to_string()
    };
    let (first, second) = (ticket().await, ticket().await);
    let cx = shopper("jane", "shopper");
    let run = async |ticket: &str| {
        let mut call = house.runtime.tickets().resume(ticket, &cx).await;
        call.approve("boss").expect("it is approved");
        call.execute().await.clone()
    };
    assert!(run(&first).await.is_ok());
    house.has(&signed(&claims().tool("order_more")));
    check(&run(&second).await, "has changed since its approval was asked for");
    house.has(&signed(&claims()));
    assert!(run(&second).await.is_ok(), "the ticket was not used");
    let periods = house.runtime.budgets().periods(Uuid::nil(), None, 10).await.expect("a list");
    assert!(periods.iter().all(|it| it.balance.spent == 20_000_000), "{periods:?}");
}

#[tokio::test]
async fn the_mandate_of_a_call_is_in_its_record_and_in_its_evidence() {
    let house = House::new(Permission::Allow);
    let mandate = signed(&claims());
    house.has(&mandate);
    let bought = house.buy("10").await;
    let meta: Value = serde_json::from_str(bought.meta_json()).expect("the meta");
    let source = &meta["evidence"]["sources"][1];
    assert_eq!(source["type"], "mandate", "{meta}");
    assert_eq!(source["name"], "https://bank.example#mandate-17");
    let recorded = house.mandates.lock().expect("the records").clone();
    assert_eq!(recorded.len(), 2, "of the day, and of the mandate: {recorded:?}");
    let hash = source["hash"].as_str().expect("a hash").trim_start_matches("sha256:").to_owned();
    assert_eq!(hash.len(), 64);
    assert!(recorded.iter().all(|it| *it == format!("https://bank.example#mandate-17 {hash}")));
}

#[tokio::test]
async fn a_repeat_gets_its_answer_when_the_mandate_has_ended() {
    let house = House::new(Permission::Allow);
    house.has(&signed(&claims()));
    let cx = shopper("jane", "shopper").with_idempotency_key("first").expect("a key");
    let bought = house.order(&cx, "shop-1", "10", "EUR").await;
    assert!(bought.is_ok(), "{}", bought.json());
    house.clock.advance(std::time::Duration::from_secs(2 * HOUR));
    let repeat = house.order(&cx, "shop-1", "10", "EUR").await;
    assert_eq!(repeat.data_json(), bought.data_json(), "{}", repeat.json());
    let other = shopper("jane", "shopper").with_idempotency_key("second").expect("a key");
    check(&house.order(&other, "shop-1", "10", "EUR").await, "has expired");
}
