//! A bank with scripted payments, and a runtime with its tools.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Semaphore;
use tool_runtime::contracts::{ErrorCode, ToolContextBuilder};
use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyRecord, MemoryStore, ScopedKey, UnixMillis};
use tool_runtime::testing::ManualClock;
use tool_runtime::{FailureCode, Reconciled, RuntimeBuilder};

use super::faulty_store::FaultyStore;

pub(super) const START: UnixMillis = UnixMillis::new(1_800_000_000_000);
pub(super) const LEASE: Duration = Duration::from_secs(30);
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The timeout of a payment.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);
pub(super) const FIVE: &str = r#"{"cents":5}"#;

/// The behaviour of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Answer,
    /// Fails, and would fail again.
    Decline,
    /// Fails without an effect, and may succeed another time.
    Busy,
    /// Fails, and may have had its effect.
    Lose,
    Panic,
    /// Never ends.
    Hang,
    /// Waits until the gate is opened.
    Wait,
    /// Answers with data that breaks its schema.
    BreakSchema,
}

/// The result of reconciling an earlier payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Finding {
    Happened,
    DidNotHappen,
    #[default]
    Unknown,
    Fail,
    Panic,
    Hang,
}

/// One run of a payment, as the bank saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) key: Option<String>,
    pub(super) global_key: Option<String>,
    pub(super) fence: Option<u64>,
}

/// Records every run; a payment without a script is answered.
pub(super) struct Bank {
    runs: Mutex<Vec<Run>>,
    acts: Mutex<VecDeque<Act>>,
    finding: Mutex<Finding>,
    asked: Mutex<Vec<Run>>,
    pub(super) gate: Semaphore,
}

/// The answer of a payment.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Receipt {
    /// The number of the payment; 0 if it was reconciled.
    run: usize,
    /// The amount.
    cents: u64,
    /// The currency.
    currency: String,
    /// The exchange rate.
    rate: f64,
}

/// The error of a payment.
#[derive(Debug)]
pub(super) struct PayError(Act);

impl ToolFailure for PayError {
    fn failure(&self) -> Failure {
        match self.0 {
            Act::Decline => {
                Failure::from_code(ErrorCode::OutOfStock).with_detail("account", "empty")
            }
            // By its type, the effect may have happened.
            Act::Lose => Failure::from_code(ErrorCode::UpstreamError),
            _ => Failure::from_code(ErrorCode::Unavailable).with_retry_after_ms(10),
        }
    }

    fn codes() -> &'static [FailureCode] {
        const {
            &[
                FailureCode::standard(ErrorCode::OutOfStock),
                FailureCode::standard(ErrorCode::Unavailable),
                FailureCode::standard(ErrorCode::UpstreamError),
            ]
        }
    }
}

impl Default for Bank {
    fn default() -> Self {
        Self {
            runs: Mutex::default(),
            acts: Mutex::default(),
            finding: Mutex::default(),
            asked: Mutex::default(),
            gate: Semaphore::new(0),
        }
    }
}

impl Bank {
    /// Scripts the next payments, in order.
    pub(super) fn next(&self, acts: impl IntoIterator<Item = Act>) {
        self.acts.lock().unwrap().extend(acts);
    }

    pub(super) fn finds(&self, finding: Finding) {
        *self.finding.lock().unwrap() = finding;
    }

    pub(super) fn runs(&self) -> Vec<Run> {
        self.runs.lock().unwrap().clone()
    }

    pub(super) fn asked(&self) -> Vec<Run> {
        self.asked.lock().unwrap().clone()
    }

    fn begin(&self, key: &Idempotency) -> (usize, Act) {
        let mut runs = self.runs.lock().unwrap();
        runs.push(Run::of(key));
        (runs.len(), self.acts.lock().unwrap().pop_front().unwrap_or(Act::Answer))
    }

    async fn pay(
        &self,
        key: &Idempotency,
        cents: u64,
        currency: String,
    ) -> Result<Receipt, PayError> {
        let (run, act) = self.begin(key);
        let rate = if act == Act::BreakSchema { f64::NAN } else { 1.5 };
        match act {
            Act::Answer | Act::BreakSchema => {}
            Act::Decline | Act::Busy | Act::Lose => return Err(PayError(act)),
            Act::Panic => panic!("hunter2"),
            Act::Hang => std::future::pending().await,
            Act::Wait => self.gate.acquire().await.unwrap().forget(),
        }
        Ok(Receipt { run, cents, currency, rate })
    }

    async fn find(
        &self,
        key: &Idempotency,
        cents: u64,
        currency: String,
    ) -> Result<Reconciled<Receipt>, PayError> {
        self.asked.lock().unwrap().push(Run::of(key));
        let finding = *self.finding.lock().unwrap();
        match finding {
            Finding::Happened => {
                Ok(Reconciled::Happened(Receipt { run: 0, cents, currency, rate: 1.5 }))
            }
            Finding::DidNotHappen => Ok(Reconciled::DidNotHappen),
            Finding::Unknown => Ok(Reconciled::Unknown),
            Finding::Fail => Err(PayError(Act::Busy)),
            Finding::Panic => panic!("hunter2"),
            Finding::Hang => std::future::pending().await,
        }
    }
}

impl Run {
    fn of(key: &Idempotency) -> Self {
        Self {
            key: key.key().map(str::to_owned),
            global_key: key.global_key().map(str::to_owned),
            fence: key.fence(),
        }
    }
}

/// Pays; the payment cannot be reconciled.
#[ai_tool(effect = "write", preview = show, timeout = "2s")]
async fn pay(
    bank: &Bank,
    key: &Idempotency,
    /// The amount.
    cents: u64,
    /// The currency.
    #[arg(default = "EUR")]
    currency: String,
) -> Result<Receipt, PayError> {
    bank.pay(key, cents, currency).await
}

/// Pays; the payment can be reconciled.
#[ai_tool(effect = "write", preview = show, reconcile = find, timeout = "2s")]
async fn pay_traced(
    bank: &Bank,
    key: &Idempotency,
    /// The amount.
    cents: u64,
    /// The currency.
    #[arg(default = "EUR")]
    currency: String,
) -> Result<Receipt, PayError> {
    bank.pay(key, cents, currency).await
}

/// Pays under a key that the bank stores.
#[ai_tool(effect = "write", preview = show, forwards_key, timeout = "2s")]
async fn pay_forwarded(
    bank: &Bank,
    key: &Idempotency,
    /// The amount.
    cents: u64,
    /// The currency.
    #[arg(default = "EUR")]
    currency: String,
) -> Result<Receipt, PayError> {
    bank.pay(key, cents, currency).await
}

/// Sets what is paid, so that a repeat changes nothing more.
#[ai_tool(effect = "write", preview = show, idempotent, timeout = "2s", retention = "3d")]
async fn pay_again(
    bank: &Bank,
    key: &Idempotency,
    /// The amount.
    cents: u64,
    /// The currency.
    #[arg(default = "EUR")]
    currency: String,
) -> Result<Receipt, PayError> {
    bank.pay(key, cents, currency).await
}

async fn show(_: &Bank, _: &Idempotency, cents: u64, _: String) -> u64 {
    cents
}

async fn find(
    bank: &Bank,
    key: &Idempotency,
    cents: u64,
    currency: String,
) -> Result<Reconciled<Receipt>, PayError> {
    bank.find(key, cents, currency).await
}

/// A bank, its store, a clock, and a runtime.
pub(super) struct KeyedRuntime {
    pub(super) bank: Arc<Bank>,
    pub(super) store: FaultyStore,
    pub(super) clock: ManualClock,
    pub(super) runtime: Runtime,
}

impl KeyedRuntime {
    pub(super) fn new() -> Self {
        Self::with(ToolPolicy::new())
    }

    /// Creates a runtime with these rules.
    pub(super) fn with(rules: ToolPolicy) -> Self {
        let (bank, store) = (Arc::<Bank>::default(), FaultyStore::new(MemoryStore::new()));
        let clock = ManualClock::at(START);
        let runtime = runtime(&bank, &store, &clock, rules);
        Self { bank, store, clock, runtime }
    }

    /// Returns another process with the same bank and the same store.
    pub(super) fn another_process(&self) -> Runtime {
        runtime(&self.bank, &self.store, &self.clock, ToolPolicy::new())
    }

    /// Calls a tool under a key, to its end.
    pub(super) async fn call(&self, tool: &str, key: &str) -> ToolOutput {
        self.call_with(tool, FIVE, &cx(key)).await
    }

    pub(super) async fn call_with(
        &self,
        tool: &str,
        arguments: &str,
        cx: &ToolContext,
    ) -> ToolOutput {
        call_in(&self.runtime, tool, arguments, cx).await
    }

    /// Returns the record of a payment under a key.
    pub(super) async fn record(&self, tool: &str, key: &str) -> Option<KeyRecord> {
        self.store.record(&scope(tool, key)).await
    }

    /// Leaves the key of a run whose owner died.
    pub(super) async fn leave_behind(&self, tool: &str, key: &str) {
        self.bank.next([Act::Hang]);
        self.store.break_permanently();
        let output = self.call(tool, key).await;
        check_error(&output, "TIMEOUT", None);
        self.store.repair();
        self.clock.advance(LEASE);
    }
}

fn runtime(
    bank: &Arc<Bank>,
    store: &FaultyStore,
    clock: &ManualClock,
    rules: ToolPolicy,
) -> Runtime {
    let policy = Policy::new().idempotency_store(store.clone()).clock(clock.clone()).rules(rules);
    tools(Runtime::builder().shared_state(bank.clone()).policy(policy))
}

/// Adds the payments, which need no approval.
pub(super) fn tools(builder: RuntimeBuilder) -> Runtime {
    let allowed = ["pay", "pay_traced", "pay_forwarded", "pay_again"];
    let builder = builder
        .tool::<PayTool>()
        .tool::<PayTracedTool>()
        .tool::<PayForwardedTool>()
        .tool::<PayAgainTool>();
    let allow = |builder: RuntimeBuilder, tool| builder.permission(tool, Permission::Allow);
    allowed.into_iter().fold(builder, allow).build().expect("the runtime")
}

/// Rules under which a failed call is not tried again.
pub(super) fn no_retry() -> ToolPolicy {
    ToolPolicy::new().retry(RetryConfig::never())
}

pub(super) async fn call_in(
    runtime: &Runtime,
    tool: &str,
    arguments: &str,
    cx: &ToolContext,
) -> ToolOutput {
    let mut call = runtime.call(tool, arguments, cx);
    call.execute().await.clone()
}

pub(super) fn context() -> ToolContextBuilder {
    ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane")
}

pub(super) fn cx(key: &str) -> ToolContext {
    context().idempotency_key(key).build().expect("the context")
}

pub(super) fn scope(tool: &str, key: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:jane", tool, format!("key:{key}"))
}

/// Checks that the call failed with this code, and with this reason if one is given.
#[track_caller]
pub(super) fn check_error(output: &ToolOutput, code: &str, reason: Option<&str>) {
    let error = output.error().unwrap_or_else(|| panic!("it should have failed: {output}"));
    assert_eq!(error.code(), Some(code), "{output}");
    assert_eq!(detail(output, "reason"), reason.map(str::to_owned), "{output}");
    assert!(!output.json().contains("hunter2"), "{output}");
}

/// Returns a text in the error's details.
pub(super) fn detail(output: &ToolOutput, name: &str) -> Option<String> {
    let value = output.error()?.details()?.get(name)?.clone();
    value.as_str().map(str::to_owned)
}

/// Checks that the second answer is a replay of the first one, byte for byte.
#[track_caller]
pub(super) fn check_replay(first: &ToolOutput, again: &ToolOutput) {
    assert!(!first.meta_json().contains("replayed"), "{first}");
    assert!(again.meta_json().contains(r#""replayed":true"#), "{again}");
    assert_eq!(body(again), body(first));
}

/// Returns the JSON text of `data` or `error`.
pub(super) fn body(output: &ToolOutput) -> &str {
    let json = output.json();
    let name = if output.is_ok() { r#","data":"# } else { r#","error":"# };
    let start = json.find(name).expect("a body") + name.len();
    let meta = json.rfind(r#","meta":"#).expect("the meta");
    &json[start..meta]
}
