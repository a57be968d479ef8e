//! A store that fails: nothing runs without a key, no success is lost, nothing runs twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tool_runtime::policy::{Policy, Rules};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryLimits, MemoryStore, StoreErrorKind};
use tool_runtime::{CallRecord, Observe};

use super::faulty_store::{Fault, FaultyStore, StoreOperation};
use super::world::{
    Act, Bank, FIVE, Finding, LEASE, TIMEOUT, World, body, call_in, check_error, check_replay, cx,
    detail, no_retry, scope, tools,
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
        let world = World::new();
        world.store.fail(fault(StoreOperation::Claim, kind));
        let refused = world.call("pay", "k").await;
        let reason = match kind {
            StoreErrorKind::Full => "store_full",
            _ => "store_unavailable",
        };
        check_error(&refused, "UNAVAILABLE", Some(reason));
        assert_eq!(detail(&refused, "effect").as_deref(), Some("none"));
        assert_eq!(world.bank.runs().len(), 0, "{kind:?}");
        assert!(world.call("pay", "k").await.is_ok(), "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_made_although_it_failed_runs_nothing_until_its_lease_is_over() {
    let world = World::new();
    let kind = StoreErrorKind::Unavailable;
    world.store.fail(Fault { done: true, ..fault(StoreOperation::Claim, kind) });
    check_error(&world.call("pay_traced", "k").await, "UNAVAILABLE", Some("store_unavailable"));
    check_error(&world.call("pay_traced", "k").await, "CONFLICT", Some("in_flight"));
    world.clock.advance(LEASE);
    world.bank.finds(Finding::DidNotHappen);
    assert!(world.call("pay_traced", "k").await.is_ok());
    assert_eq!(world.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_fails_for_a_while_is_tried_again() {
    for kind in KINDS {
        for (times, done) in [(1, false), (2, false), (1, true), (2, true)] {
            let world = World::new();
            world.store.fail(Fault { times, done, ..fault(StoreOperation::Settle, kind) });
            let first = world.call("pay", "k").await;
            assert!(first.is_ok() && !first.meta_json().contains("warnings"), "{kind:?}: {first}");
            check_replay(&first, &world.call("pay", "k").await);
            assert_eq!(world.bank.runs().len(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_success_that_cannot_be_stored_has_a_warning_and_is_never_repeated() {
    for kind in KINDS {
        let world = World::new();
        world.store.fail(for_good(StoreOperation::Settle, kind));
        let first = world.call("pay", "k").await;
        assert!(first.is_ok() && body(&first).contains(r#""cents":5"#), "{first}");
        assert!(first.meta_json().contains("could not be stored"), "{kind:?}: {first}");
        world.store.repair();
        check_error(&world.call("pay", "k").await, "CONFLICT", Some("in_flight"));
        world.clock.advance(LEASE);
        let repeat = world.call("pay", "k").await;
        check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(world.bank.runs().len(), 1, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_kept_although_settling_failed_is_replayed() {
    let world = World::new();
    let kind = StoreErrorKind::Unavailable;
    world.store.fail(Fault { done: true, ..for_good(StoreOperation::Settle, kind) });
    let first = world.call("pay", "k").await;
    assert!(first.meta_json().contains("could not be stored"), "{first}");
    world.store.repair();
    let again = world.call("pay", "k").await;
    assert_eq!(again.data_json(), first.data_json());
    assert_eq!(world.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_cannot_be_stored_is_delivered_and_never_repeated() {
    for act in [Act::Decline, Act::Panic, Act::Hang, Act::BreakSchema] {
        let world = World::new();
        world.bank.next([act]);
        world.store.fail(for_good(StoreOperation::Settle, StoreErrorKind::Unavailable));
        assert!(!world.call("pay", "k").await.is_ok());
        world.store.repair();
        world.clock.advance(LEASE);
        let repeat = world.call("pay", "k").await;
        check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(world.bank.runs().len(), 1, "{act:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_cannot_be_released_is_not_lost() {
    let world = World::with(no_retry());
    world.bank.next([Act::Busy]);
    world.store.fail(for_good(StoreOperation::Settle, StoreErrorKind::Unavailable));
    check_error(&world.call("pay_traced", "k").await, "UNAVAILABLE", None);
    world.store.repair();
    world.clock.advance(LEASE);
    world.bank.finds(Finding::DidNotHappen);
    assert!(world.call("pay_traced", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_that_fail_end_nothing() {
    for kind in KINDS {
        let world = World::with(Rules::new().lease(LEASE / 100));
        world.bank.next([Act::Wait]);
        world.store.fail(for_good(StoreOperation::Renew, kind));
        let (first, ()) = futures::join!(world.call("pay", "k"), async {
            tokio::time::sleep(TIMEOUT / 2).await;
            world.bank.gate.add_permits(1);
        });
        assert!(first.is_ok(), "{kind:?}: {first}");
        assert!(world.store.operations().contains(&StoreOperation::Renew));
        check_replay(&first, &world.call("pay", "k").await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_hangs_ends_at_the_deadline_and_nothing_has_run() {
    let world = World::new();
    world.store.hang_at(StoreOperation::Claim);
    let start = Instant::now();
    let output = world.call("pay", "k").await;
    check_error(&output, "UNAVAILABLE", Some("store_unavailable"));
    assert_eq!(detail(&output, "effect").as_deref(), Some("none"));
    assert_eq!((start.elapsed(), world.bank.runs().len()), (TIMEOUT, 0));
    let mut call = world.runtime.call("pay", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async { cancellation.cancel() });
    check_error(output, "CANCELLED", Some("cancelled"));
    world.store.repair();
    assert!(world.call("pay", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_hangs_costs_no_answer() {
    let world = World::new();
    world.store.hang_at(StoreOperation::Settle);
    let start = Instant::now();
    let output = world.call("pay", "k").await;
    assert!(output.is_ok() && output.meta_json().contains("could not be stored"), "{output}");
    assert!(start.elapsed() <= LEASE + Duration::from_millis(50), "{:?}", start.elapsed());
    world.store.repair();
    world.clock.advance(LEASE);
    let repeat = world.call("pay", "k").await;
    check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(world.bank.runs().len(), 1);
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
