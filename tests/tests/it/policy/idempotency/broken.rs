//! A store that fails: nothing runs without a key, no success is lost, nothing runs twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tool_runtime::contracts::ToolErrorDetail;
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryLimits, MemoryStore, StoreErrorKind};
use tool_runtime::{CallRecord, Observe};

use super::faulty_store::{Fault, FaultyStore, StoreOperation};
use super::keyed_runtime::{
    Act, Bank, FIVE, Finding, KeyedRuntime, LEASE, TIMEOUT, body, call_in, check_error,
    check_replay, cx, detail, no_retry, scope, tools,
};

const KINDS: [StoreErrorKind; 4] = [
    StoreErrorKind::Unavailable,
    StoreErrorKind::Full,
    StoreErrorKind::ReadOnly,
    StoreErrorKind::Damaged,
];

fn fault(operation: StoreOperation, kind: StoreErrorKind) -> Fault {
    Fault { operation, kind, times: 1, done: false }
}

fn for_good(operation: StoreOperation, kind: StoreErrorKind) -> Fault {
    Fault { times: usize::MAX, ..fault(operation, kind) }
}

#[tokio::test]
async fn a_write_whose_key_cannot_be_claimed_does_not_run() {
    for kind in KINDS {
        let setup = KeyedRuntime::new();
        setup.store.fail(fault(StoreOperation::Claim, kind));
        let refused = setup.call("pay", "k").await;
        let reason = match kind {
            StoreErrorKind::Full => "store_full",
            _ => "store_unavailable",
        };
        check_error(&refused, "UNAVAILABLE", Some(reason));
        assert_eq!(detail(&refused, "effect").as_deref(), Some("none"));
        // A store that does not answer may answer soon; the others need a person first.
        let retry_after = refused.error().and_then(ToolErrorDetail::retry_after_ms);
        assert_eq!(retry_after.is_some(), kind == StoreErrorKind::Unavailable, "{kind:?}");
        assert_eq!(setup.bank.runs().len(), 0, "{kind:?}");
        assert!(setup.call("pay", "k").await.is_ok(), "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_made_although_it_failed_runs_nothing_until_its_lease_is_over() {
    let setup = KeyedRuntime::new();
    let kind = StoreErrorKind::Unavailable;
    setup.store.fail(Fault { done: true, ..fault(StoreOperation::Claim, kind) });
    check_error(&setup.call("pay_traced", "k").await, "UNAVAILABLE", Some("store_unavailable"));
    check_error(&setup.call("pay_traced", "k").await, "CONFLICT", Some("in_flight"));
    setup.clock.advance(LEASE);
    setup.bank.finds(Finding::DidNotHappen);
    assert!(setup.call("pay_traced", "k").await.is_ok());
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_fails_for_a_while_is_tried_again() {
    for kind in KINDS {
        for (times, done) in [(1, false), (2, false), (1, true), (2, true)] {
            let setup = KeyedRuntime::new();
            setup.store.fail(Fault { times, done, ..fault(StoreOperation::Settle, kind) });
            let first = setup.call("pay", "k").await;
            assert!(first.is_ok() && !first.meta_json().contains("warnings"), "{kind:?}: {first}");
            check_replay(&first, &setup.call("pay", "k").await);
            assert_eq!(setup.bank.runs().len(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_success_that_cannot_be_stored_has_a_warning_and_is_never_repeated() {
    for kind in KINDS {
        let setup = KeyedRuntime::new();
        setup.store.fail(for_good(StoreOperation::Settle, kind));
        let first = setup.call("pay", "k").await;
        assert!(first.is_ok() && body(&first).contains(r#""cents":5"#), "{first}");
        assert!(first.meta_json().contains("could not be stored"), "{kind:?}: {first}");
        setup.store.repair();
        check_error(&setup.call("pay", "k").await, "CONFLICT", Some("in_flight"));
        setup.clock.advance(LEASE);
        let repeat = setup.call("pay", "k").await;
        check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(setup.bank.runs().len(), 1, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_kept_although_settling_failed_is_replayed() {
    let setup = KeyedRuntime::new();
    let kind = StoreErrorKind::Unavailable;
    setup.store.fail(Fault { done: true, ..for_good(StoreOperation::Settle, kind) });
    let first = setup.call("pay", "k").await;
    assert!(first.meta_json().contains("could not be stored"), "{first}");
    setup.store.repair();
    let again = setup.call("pay", "k").await;
    assert_eq!(again.data_json(), first.data_json());
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_cannot_be_stored_is_delivered_and_never_repeated() {
    for act in [Act::Decline, Act::Panic, Act::Hang, Act::BreakSchema] {
        let setup = KeyedRuntime::new();
        setup.bank.next([act]);
        setup.store.fail(for_good(StoreOperation::Settle, StoreErrorKind::Unavailable));
        assert!(!setup.call("pay", "k").await.is_ok());
        setup.store.repair();
        setup.clock.advance(LEASE);
        let repeat = setup.call("pay", "k").await;
        check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(setup.bank.runs().len(), 1, "{act:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_cannot_be_released_is_not_lost() {
    let setup = KeyedRuntime::with(no_retry());
    setup.bank.next([Act::Busy]);
    setup.store.fail(for_good(StoreOperation::Settle, StoreErrorKind::Unavailable));
    check_error(&setup.call("pay_traced", "k").await, "UNAVAILABLE", None);
    setup.store.repair();
    setup.clock.advance(LEASE);
    setup.bank.finds(Finding::DidNotHappen);
    assert!(setup.call("pay_traced", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_that_fail_end_nothing() {
    for kind in KINDS {
        let setup = KeyedRuntime::with(ToolPolicy::new().lease(LEASE / 100));
        setup.bank.next([Act::Wait]);
        setup.store.fail(for_good(StoreOperation::Renew, kind));
        let (first, ()) = futures::join!(setup.call("pay", "k"), async {
            tokio::time::sleep(TIMEOUT / 2).await;
            setup.bank.gate.add_permits(1);
        });
        assert!(first.is_ok(), "{kind:?}: {first}");
        assert!(setup.store.operations().contains(&StoreOperation::Renew));
        check_replay(&first, &setup.call("pay", "k").await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_hangs_ends_at_the_deadline_and_nothing_has_run() {
    let setup = KeyedRuntime::new();
    setup.store.hang_at(StoreOperation::Claim);
    let start = Instant::now();
    let output = setup.call("pay", "k").await;
    check_error(&output, "UNAVAILABLE", Some("store_unavailable"));
    assert_eq!(detail(&output, "effect").as_deref(), Some("none"));
    assert_eq!((start.elapsed(), setup.bank.runs().len()), (TIMEOUT, 0));
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async { cancellation.cancel() });
    check_error(output, "CANCELLED", Some("cancelled"));
    setup.store.repair();
    assert!(setup.call("pay", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_hangs_costs_no_answer() {
    let setup = KeyedRuntime::new();
    setup.store.hang_at(StoreOperation::Settle);
    let start = Instant::now();
    let output = setup.call("pay", "k").await;
    assert!(output.is_ok() && output.meta_json().contains("could not be stored"), "{output}");
    assert!(start.elapsed() <= LEASE + Duration::from_millis(50), "{:?}", start.elapsed());
    setup.store.repair();
    setup.clock.advance(LEASE);
    let repeat = setup.call("pay", "k").await;
    check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(setup.bank.runs().len(), 1);
}

/// Keeps the texts for the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Observe for Log {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.log().to_owned());
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_reads_why_the_store_failed_and_the_model_does_not() {
    let (log, store) = (Log::default(), FaultyStore::new(MemoryStore::new()));
    let policy = Policy::new().idempotency_store(store.clone());
    let builder = Runtime::builder().shared_state(Arc::<Bank>::default());
    let runtime = tools(builder.observe(log.clone()).policy(policy));
    for operation in [StoreOperation::Claim, StoreOperation::Settle] {
        store.fail(for_good(operation, StoreErrorKind::Unavailable));
        let mut call = runtime.call("pay", FIVE, &cx("k"));
        assert!(!call.execute().await.json().contains("hunter2"));
        store.repair();
    }
    let log = log.0.lock().unwrap();
    assert!(log.len() == 2 && log.iter().all(|text| text.contains("hunter2")), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_finds_no_room_leaves_the_outcome_unknown_at_once() {
    let limits = MemoryLimits::new().with_keys(1, 200).with_reserved_answer_bytes(8);
    let store = FaultyStore::new(MemoryStore::bounded(limits));
    let policy = Policy::new().idempotency_store(store.clone());
    let bank = Arc::<Bank>::default();
    let runtime = tools(Runtime::builder().shared_state(bank.clone()).policy(policy));
    let long = format!(r#"{{"cents":5,"currency":"{}"}}"#, "E".repeat(200));
    let first = call_in(&runtime, "pay", &long, &cx("k")).await;
    assert!(first.is_ok() && first.meta_json().contains("could not be stored"), "{first}");
    let record = store.record(&scope("pay", "k")).await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
    let again = call_in(&runtime, "pay", &long, &cx("k")).await;
    check_error(&again, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(bank.runs().len(), 1);
}
