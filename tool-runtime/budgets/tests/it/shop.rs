//! A shop with tools that spend, and a host with budgets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tool_runtime::RuntimeBuilder;
use tool_runtime::budgets::{Decimal, Money, Spending};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::UnixMillis;
use tool_runtime::testing::ManualClock;

/// 2026-03-28, 22:30 UTC: a Saturday; in Berlin, half an hour before the night in which an hour is skipped.
pub(crate) const SATURDAY: UnixMillis = UnixMillis::new(1_774_737_000_000);

/// The cents that the seller received, and the behavior of its next answers.
#[derive(Debug, Default)]
pub(crate) struct Seller {
    pub(crate) paid: AtomicU64,
    pub(crate) behavior: Mutex<Behavior>,
}

/// The behavior of the seller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    #[default]
    Sells,
    /// It has nothing left: a failure without effect.
    SoldOut,
    /// It refuses one order, and sells from then on.
    BusyOnce,
    /// It takes the money and does not answer.
    Silent,
    /// It takes this amount instead, in cents.
    Charges(u64),
}

impl Seller {
    pub(crate) fn behaves(&self, behavior: Behavior) {
        *self.behavior.lock().expect("the behavior") = behavior;
    }

    fn sell(&self, cents: u64, spending: &Spending) -> Result<String, Failure> {
        let behavior = *self.behavior.lock().expect("the behavior");
        match behavior {
            Behavior::Sells => self.paid.fetch_add(cents, Ordering::SeqCst),
            Behavior::SoldOut => return Err(Failure::from_code(ErrorCode::OutOfStock)),
            Behavior::BusyOnce => {
                self.behaves(Behavior::Sells);
                return Err(Failure::from_code(ErrorCode::RateLimited).with_effect_none());
            }
            Behavior::Silent => {
                self.paid.fetch_add(cents, Ordering::SeqCst);
                return Err(Failure::from_code(ErrorCode::Timeout).with_effect_unknown());
            }
            Behavior::Charges(other) => {
                let amount = Decimal::new(i64::try_from(other).expect("an amount"), 2);
                spending.settle(Money::new(amount, "EUR").expect("an amount"));
                self.paid.fetch_add(other, Ordering::SeqCst)
            }
        };
        Ok("sold".to_owned())
    }
}

/// Pays a bill.
#[ai_tool(effect = "write", category = "bills")]
fn pay(
    seller: &Seller,
    dry_run: &DryRun,
    spending: &Spending,
    /// The amount.
    #[arg(spends = "EUR")]
    amount: Decimal,
) -> Result<String, Failure> {
    if dry_run.is_active() {
        return Ok("would pay".to_owned());
    }
    let cents = u64::try_from((amount * Decimal::from(100)).mantissa()).unwrap_or_default();
    let cents = cents / 10_u64.pow((amount * Decimal::from(100)).scale());
    seller.sell(cents, spending)
}

/// Buys a thing at its price.
#[ai_tool(effect = "write")]
fn buy(
    seller: &Seller,
    dry_run: &DryRun,
    spending: &Spending,
    /// The price.
    #[arg(spends)]
    price: Money,
) -> Result<String, Failure> {
    if dry_run.is_active() {
        return Ok("would buy".to_owned());
    }
    let cents = (price.amount() * Decimal::from(100)).normalize();
    seller.sell(u64::try_from(cents.mantissa()).unwrap_or_default(), spending)
}

/// Tips in cents.
#[ai_tool(effect = "write")]
fn tip(
    dry_run: &DryRun,
    /// The tip.
    #[arg(spends = "EUR", minor_units, default = 100)]
    cents: u32,
) -> u32 {
    if dry_run.is_active() { 0 } else { cents }
}

/// Sends money in a currency that the caller names.
#[ai_tool(effect = "write")]
fn send(
    dry_run: &DryRun,
    /// The amount.
    #[arg(spends(currency))]
    amount: Decimal,
    /// The currency.
    currency: String,
) -> String {
    if dry_run.is_active() { String::new() } else { format!("{amount} {currency}") }
}

/// Asks a service that takes two cents for each answer.
#[ai_tool(effect = "write", cost = "0.02 USD")]
fn ask(dry_run: &DryRun) -> bool {
    !dry_run.is_active()
}

/// The price of printed pages.
fn printing(pages: u32, color: Option<bool>) -> Money {
    let cents = if color.unwrap_or_default() { 25 } else { 5 };
    let amount = Decimal::new(i64::from(pages) * cents, 2);
    Money::new(amount, "EUR").expect("an amount")
}

/// Prints pages.
#[ai_tool(effect = "write", cost = printing)]
fn print(
    dry_run: &DryRun,
    /// The number of pages.
    pages: u32,
    /// True for color.
    color: Option<bool>,
) -> u32 {
    let _ = color;
    if dry_run.is_active() { 0 } else { pages }
}

/// Looks something up.
#[ai_tool(effect = "read")]
fn look_up(
    /// The word.
    word: String,
) -> String {
    word
}

/// A runtime with all tools, without approvals, and with this policy.
pub(crate) struct Shop {
    pub(crate) runtime: Runtime,
    pub(crate) seller: Arc<Seller>,
    pub(crate) clock: ManualClock,
}

impl Shop {
    pub(crate) fn new(policy: Policy) -> Self {
        Self::build(policy, Permission::Allow)
    }

    pub(crate) fn asking(policy: Policy) -> Self {
        Self::build(policy, Permission::Ask)
    }

    fn build(policy: Policy, permission: Permission) -> Self {
        let (seller, clock) = (Arc::new(Seller::default()), ManualClock::at(SATURDAY));
        let mut builder = builder().shared_state(seller.clone());
        for tool in ["pay", "buy", "tip", "send", "ask", "print"] {
            builder = builder.permission(tool, permission);
        }
        let policy = policy.clock(clock.clone());
        let runtime = builder.policy(policy).build().expect("a runtime");
        Self { runtime, seller, clock }
    }

    /// Calls a tool with JSON arguments for a user, without a key.
    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> ToolOutput {
        self.call_as(&cx("jane"), tool, arguments).await
    }

    pub(crate) async fn call_as(
        &self,
        cx: &ToolContext,
        tool: &str,
        arguments: &str,
    ) -> ToolOutput {
        self.runtime.call(tool, arguments, cx).execute().await.clone()
    }

    /// Pays an amount; returns whether it was paid.
    pub(crate) async fn pay(&self, amount: &str) -> bool {
        let output = self.call("pay", &amount_json(amount)).await;
        if output.error().is_some() {
            assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
        }
        output.is_ok()
    }

    pub(crate) fn paid(&self) -> u64 {
        self.seller.paid.load(Ordering::SeqCst)
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }
}

pub(crate) fn builder() -> RuntimeBuilder {
    Runtime::builder()
        .tool::<PayTool>()
        .tool::<BuyTool>()
        .tool::<TipTool>()
        .tool::<SendTool>()
        .tool::<AskTool>()
        .tool::<PrintTool>()
        .tool::<LookUpTool>()
}

pub(crate) fn amount_json(amount: &str) -> String {
    format!(r#"{{"amount":"{amount}"}}"#)
}

pub(crate) fn cx(user: &str) -> ToolContext {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").session_id("chat-1");
    cx.user_id(user).build().expect("a context")
}

pub(crate) fn keyed(key: &str) -> ToolContext {
    cx("jane").with_idempotency_key(key).expect("a key")
}

/// Returns the reason of a refusal.
pub(crate) fn reason(output: &ToolOutput) -> String {
    let details = output.error().and_then(|error| error.details());
    let reason = details.and_then(|details| details.get("reason")).and_then(Value::as_str);
    reason.unwrap_or_default().to_owned()
}

/// Returns the part of a budget that an answer says it has taken: taken, left, total.
pub(crate) fn taken(output: &ToolOutput) -> Vec<[String; 4]> {
    let meta: Value = serde_json::from_str(output.meta_json()).expect("the meta");
    let uses = meta.get("budget").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |it: &Value, field: &str| it[field].as_str().unwrap_or_default().to_owned();
    uses.iter().map(|it| ["limit", "taken", "left", "total"].map(|field| text(it, field))).collect()
}
