//! A store that fails: nothing runs unguarded, no success is lost, nothing runs twice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tool_runtime::policy::{Policy, Rules};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, Memory, MemoryLimits, StoreErrorKind};
use tool_runtime::{CallRecord, Observe};

use super::desk::{Desk, Fault, Step};
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

fn fault(step: Step, kind: StoreErrorKind) -> Fault {
    Fault { step, kind, times: 1, done: false }
}

fn for_good(step: Step, kind: StoreErrorKind) -> Fault {
    Fault { times: usize::MAX, ..fault(step, kind) }
}

#[tokio::test]
async fn a_write_whose_key_cannot_be_claimed_does_not_run() {
    for kind in KINDS {
        let world = World::new();
        world.desk.fails(fault(Step::Claim, kind));
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
    world.desk.fails(Fault { done: true, ..fault(Step::Claim, kind) });
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
            world.desk.fails(Fault { times, done, ..fault(Step::Settle, kind) });
            let first = world.call("pay", "k").await;
            assert!(first.is_ok() && !first.meta_json().contains("warnings"), "{kind:?}: {first}");
            check_replay(&first, &world.call("pay", "k").await);
            assert_eq!(world.bank.runs().len(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_success_that_cannot_be_kept_is_told_with_a_warning_and_never_repeated() {
    for kind in KINDS {
        let world = World::new();
        world.desk.fails(for_good(Step::Settle, kind));
        let first = world.call("pay", "k").await;
        assert!(first.is_ok() && body(&first).contains(r#""cents":5"#), "{first}");
        assert!(first.meta_json().contains("could not be kept"), "{kind:?}: {first}");
        world.desk.works_again();
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
    world.desk.fails(Fault { done: true, ..for_good(Step::Settle, kind) });
    let first = world.call("pay", "k").await;
    assert!(first.meta_json().contains("could not be kept"), "{first}");
    world.desk.works_again();
    let again = world.call("pay", "k").await;
    assert_eq!(again.data_json(), first.data_json());
    assert_eq!(world.bank.runs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_cannot_be_kept_is_told_and_never_repeated() {
    for act in [Act::Decline, Act::Panic, Act::Hang, Act::BreakSchema] {
        let world = World::new();
        world.bank.next([act]);
        world.desk.fails(for_good(Step::Settle, StoreErrorKind::Unavailable));
        assert!(!world.call("pay", "k").await.is_ok());
        world.desk.works_again();
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
    world.desk.fails(for_good(Step::Settle, StoreErrorKind::Unavailable));
    check_error(&world.call("pay_traced", "k").await, "UNAVAILABLE", None);
    world.desk.works_again();
    world.clock.advance(LEASE);
    world.bank.finds(Finding::DidNotHappen);
    assert!(world.call("pay_traced", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_that_fail_end_nothing() {
    for kind in KINDS {
        let world = World::with(Rules::new().lease(LEASE / 100));
        world.bank.next([Act::Wait]);
        world.desk.fails(for_good(Step::Renew, kind));
        let (first, ()) = futures::join!(world.call("pay", "k"), async {
            tokio::time::sleep(TIMEOUT / 2).await;
            world.bank.gate.add_permits(1);
        });
        assert!(first.is_ok(), "{kind:?}: {first}");
        assert!(world.desk.steps().contains(&Step::Renew));
        check_replay(&first, &world.call("pay", "k").await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_hangs_ends_at_the_deadline_and_nothing_has_run() {
    let world = World::new();
    world.desk.hangs_at(Step::Claim);
    let start = Instant::now();
    let output = world.call("pay", "k").await;
    check_error(&output, "UNAVAILABLE", Some("store_unavailable"));
    assert_eq!(detail(&output, "effect").as_deref(), Some("none"));
    assert_eq!((start.elapsed(), world.bank.runs().len()), (TIMEOUT, 0));
    let mut call = world.runtime.call("pay", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async { cancellation.cancel() });
    check_error(output, "CANCELLED", Some("cancelled"));
    world.desk.works_again();
    assert!(world.call("pay", "k").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_hangs_costs_no_answer() {
    let world = World::new();
    world.desk.hangs_at(Step::Settle);
    let start = Instant::now();
    let output = world.call("pay", "k").await;
    assert!(output.is_ok() && output.meta_json().contains("could not be kept"), "{output}");
    assert!(start.elapsed() <= LEASE + Duration::from_millis(50), "{:?}", start.elapsed());
    world.desk.works_again();
    world.clock.advance(LEASE);
    let repeat = world.call("pay", "k").await;
    check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(world.bank.runs().len(), 1);
}

/// Keeps what only the log may read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Observe for Log {
    fn closed(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.log().to_owned());
    }
}

#[tokio::test(start_paused = true)]
async fn the_log_reads_why_the_store_failed_and_the_model_does_not() {
    let (log, desk) = (Log::default(), Desk::new(Memory::new()));
    let policy = Policy::new().idempotency_store(desk.clone());
    let builder = Runtime::builder().shared_state(Arc::<Bank>::default());
    let runtime = tools(builder.observe(log.clone()).policy(policy));
    for step in [Step::Claim, Step::Settle] {
        desk.fails(for_good(step, StoreErrorKind::Unavailable));
        let mut call = runtime.call("pay", FIVE, &cx("k"));
        assert!(!call.execute().await.json().contains("hunter2"));
        desk.works_again();
    }
    let log = log.0.lock().unwrap();
    assert!(log.len() == 2 && log.iter().all(|text| text.contains("hunter2")), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_finds_no_room_leaves_the_outcome_unknown_at_once() {
    let limits = MemoryLimits::new().with_keys(1, 200).with_answer_room(8);
    let desk = Desk::new(Memory::bounded(limits));
    let policy = Policy::new().idempotency_store(desk.clone());
    let bank = Arc::<Bank>::default();
    let runtime = tools(Runtime::builder().shared_state(bank.clone()).policy(policy));
    let long = format!(r#"{{"cents":5,"currency":"{}"}}"#, "E".repeat(200));
    let first = call_in(&runtime, "pay", &long, &cx("k")).await;
    assert!(first.is_ok() && first.meta_json().contains("could not be kept"), "{first}");
    let record = desk.look(&scope("pay", "k")).await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
    let again = call_in(&runtime, "pay", &long, &cx("k")).await;
    check_error(&again, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(bank.runs().len(), 1);
}
