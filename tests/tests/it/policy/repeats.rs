//! A repeat of an answered call gets its answer without another approval.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tool_runtime::policy::{ApprovalRequest, Approver, Decision, Policy, ToolPolicy, async_trait};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, ClockReading, Fence, IdempotencyStore, KeyRecord, MemoryStore,
    ScopedKey, Settlement, StoreError, UnixMillis,
};

/// The stock that is left, and the number of requested approvals.
#[derive(Debug, Clone, Default)]
struct Counts {
    left: Arc<AtomicU32>,
    asked: Arc<AtomicU32>,
}

#[async_trait]
impl Approver for Counts {
    async fn decide(&self, _: &ApprovalRequest<'_>) -> Decision {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Decision::approve("jane")
    }
}

/// There is none left.
#[derive(Debug, ToolFailure)]
#[failure(OUT_OF_STOCK, message = "none is left")]
struct SoldOut;

/// Sells a thing.
#[ai_tool(effect = "write")]
async fn sell(
    counts: &Counts,
    dry_run: &DryRun,
    /// To whom.
    #[arg(default = "anybody")]
    buyer: String,
) -> Result<String, SoldOut> {
    let left = counts.left.load(Ordering::SeqCst).checked_sub(1).ok_or(SoldOut)?;
    if !dry_run.is_active() {
        counts.left.store(left, Ordering::SeqCst);
    }
    Ok(format!("sold to {buyer}"))
}

/// A store that loses a key between reading and claiming it.
#[derive(Debug, Clone, Default)]
struct Forgetful {
    before: Arc<MemoryStore>,
    after: Arc<MemoryStore>,
    forgets: Arc<AtomicBool>,
}

impl Forgetful {
    fn keys(&self) -> &MemoryStore {
        if self.forgets.load(Ordering::SeqCst) { &self.after } else { &self.before }
    }
}

#[async_trait]
impl IdempotencyStore for Forgetful {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.keys().read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        self.keys().claim(request).await
    }

    async fn renew(&self, key: &ScopedKey, f: Fence, to: UnixMillis) -> Result<bool, StoreError> {
        self.keys().renew(key, f, to).await
    }

    async fn settle(&self, key: &ScopedKey, f: Fence, s: Settlement) -> Result<bool, StoreError> {
        self.keys().settle(key, f, s).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        self.before.find(key).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.keys().list_unknown(tenant, after, limit).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.keys().sweep_keys(now, limit).await
    }
}

fn shop(left: u32) -> (Runtime, Counts) {
    shop_with(left, Policy::new())
}

fn shop_with(left: u32, policy: Policy) -> (Runtime, Counts) {
    let counts = Counts { left: Arc::new(left.into()), asked: Arc::default() };
    let rules = ToolPolicy::new().bind_preview(true);
    let policy = policy.approver(counts.clone()).rules(rules);
    let runtime = Runtime::builder().tool::<SellTool>().state(counts.clone()).policy(policy);
    (runtime.build().expect("the runtime"), counts)
}

async fn sell_under(runtime: &Runtime, key: &str, arguments: &str) -> ToolOutput {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
    let cx = cx.idempotency_key(key).build().expect("the context");
    runtime.call("sell", arguments, &cx).execute().await.clone()
}

#[tokio::test]
async fn a_repeat_needs_no_approval_even_if_it_could_not_run_any_more() {
    let (runtime, counts) = shop(1);
    let first = sell_under(&runtime, "a", "{}").await;
    assert!(first.is_ok(), "{first}");
    let again = sell_under(&runtime, "a", r#"{"buyer":"anybody"}"#).await;
    assert_eq!(again.data_json(), first.data_json(), "{again}");
    assert_eq!(counts.asked.load(Ordering::SeqCst), 1);
    let another = sell_under(&runtime, "b", "{}").await;
    assert_eq!(another.error().and_then(|error| error.code()), Some("OUT_OF_STOCK"));
}

#[tokio::test]
async fn a_key_that_was_answered_for_other_arguments_opens_nothing() {
    let (runtime, counts) = shop(2);
    sell_under(&runtime, "a", "{}").await;
    let other = sell_under(&runtime, "a", r#"{"buyer":"joe"}"#).await;
    assert_eq!(other.error().and_then(|error| error.code()), Some("INVALID_ARGUMENT"), "{other}");
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_is_gone_when_its_key_is_claimed_runs_nothing_unasked() {
    let store = Forgetful::default();
    let (runtime, counts) = shop_with(2, Policy::new().idempotency_store(store.clone()));
    sell_under(&runtime, "a", "{}").await;
    store.forgets.store(true, Ordering::SeqCst);
    let again = sell_under(&runtime, "a", "{}").await;
    let code = again.error().and_then(|error| error.code());
    assert_eq!(code, Some("NEEDS_USER_CONFIRMATION"), "{again}");
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
    // The key is released, not held until its lease expires.
    let key = ScopedKey::new(Uuid::nil(), "user:jane", "sell", "key:a");
    assert_eq!(store.after.find(&key).await.expect("the store"), None);
}
