//! The declared effect of a failure decides whether a repeat of the write runs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryStore};

use super::faulty_store::FaultyStore;
use super::keyed_runtime::{call_in, check_error, cx, detail, no_retry, scope};

#[derive(Debug, Clone, Copy, ToolFailure)]
enum TransferError {
    #[failure(UPSTREAM_ERROR, message = "no connection to the bank", effect = "none")]
    Connect,
    #[failure(UPSTREAM_ERROR, message = "the bank stopped answering")]
    Broken,
    #[failure(UNAVAILABLE, message = "the bank restarted meanwhile", effect = "unknown")]
    Restarted,
    #[failure(UPSTREAM_ERROR, message = "the bank lost the {effect}", details(effect))]
    Lost { effect: &'static str },
}

/// The failures of the next transfers, and the number of transfers.
#[derive(Debug, Default)]
struct Line {
    failures: Mutex<VecDeque<TransferError>>,
    runs: Mutex<u32>,
}

/// Moves money.
#[ai_tool(effect = "write", preview = fee)]
async fn transfer(line: &Line) -> Result<u32, TransferError> {
    *line.runs.lock().unwrap() += 1;
    let failure = line.failures.lock().unwrap().pop_front();
    failure.map_or(Ok(5), Err)
}

async fn fee(_: &Line) -> u32 {
    0
}

/// A line that fails once, and the runtime that uses it.
struct LineSetup {
    line: Arc<Line>,
    store: FaultyStore,
    runtime: Runtime,
}

impl LineSetup {
    fn failing(failure: TransferError, rules: ToolPolicy) -> Self {
        let (line, store) = (Arc::<Line>::default(), FaultyStore::new(MemoryStore::new()));
        line.failures.lock().unwrap().push_back(failure);
        let runtime = Runtime::builder()
            .tool::<TransferTool>()
            .shared_state(line.clone())
            .permission("transfer", Permission::Allow)
            .policy(Policy::new().idempotency_store(store.clone()).rules(rules))
            .build()
            .expect("the runtime");
        Self { line, store, runtime }
    }

    async fn call(&self) -> ToolOutput {
        call_in(&self.runtime, "transfer", "{}", &cx("k")).await
    }

    fn runs(&self) -> u32 {
        *self.line.runs.lock().unwrap()
    }
}

/// Checks that a write with this failure does not run again, neither by a retry nor by a repeat.
async fn check_unknown(failure: TransferError) {
    let setup = LineSetup::failing(failure, ToolPolicy::new());
    let failed = setup.call().await;
    check_error(&failed, failure.failure().code().as_str(), None);
    assert_eq!(detail(&failed, "effect").as_deref(), Some("unknown"));
    let record = setup.store.record(&scope("transfer", "k")).await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
    check_error(&setup.call().await, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(setup.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_says_it_had_no_effect_is_tried_again() {
    let setup = LineSetup::failing(TransferError::Connect, ToolPolicy::new());
    assert!(setup.call().await.is_ok());
    assert_eq!(setup.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_says_it_had_no_effect_releases_its_key() {
    let setup = LineSetup::failing(TransferError::Connect, no_retry());
    let failed = setup.call().await;
    check_error(&failed, "UPSTREAM_ERROR", None);
    assert_eq!(detail(&failed, "effect").as_deref(), Some("none"));
    assert_eq!(setup.store.record(&scope("transfer", "k")).await, None);
    assert!(setup.call().await.is_ok());
    assert_eq!(setup.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_type_leaves_its_effect_open_is_unknown() {
    check_unknown(TransferError::Broken).await;
}

#[tokio::test(start_paused = true)]
async fn a_write_that_says_its_effect_is_unknown_is_unknown_whatever_its_type() {
    check_unknown(TransferError::Restarted).await;
}

#[tokio::test(start_paused = true)]
async fn a_detail_that_is_named_effect_by_chance_promises_nothing() {
    check_unknown(TransferError::Lost { effect: "refund" }).await;
}
