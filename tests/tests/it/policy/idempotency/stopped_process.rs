//! A process that is stopped past its lease, and continues after another run has taken its key over.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::sync::Semaphore;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryStore};
use tool_runtime::testing::ManualClock;
use tool_runtime::{Job, Reconciled, Sleep, Timer, TokioTimer};

use super::faulty_store::{FaultyStore, StoreOperation};
use super::keyed_runtime::{LEASE, START, call_in, check_error, cx, scope};

/// A downstream that checks no fences, and accepts every wire.
struct Downstream {
    gate: Semaphore,
    wires: Mutex<Vec<u64>>,
}

impl Downstream {
    fn wire(&self, key: &Idempotency) -> u64 {
        let fence = key.fence().expect("a fence");
        self.wires.lock().unwrap().push(fence);
        fence
    }

    fn wires(&self) -> Vec<u64> {
        self.wires.lock().unwrap().clone()
    }
}

/// Wires money when the gate opens.
#[ai_tool(effect = "write", preview = show, reconcile = find, timeout = "2s")]
async fn wire(downstream: &Downstream, key: &Idempotency) -> u64 {
    downstream.gate.acquire().await.expect("an open gate").forget();
    downstream.wire(key)
}

/// Wires money on a thread of its own.
#[ai_tool(effect = "write", preview = show_blocking, reconcile = find_blocking, blocking)]
fn wire_blocking(downstream: &Downstream, key: &Idempotency) -> u64 {
    downstream.wire(key)
}

async fn show(_: &Downstream, _: &Idempotency) -> bool {
    true
}

fn show_blocking(_: &Downstream, _: &Idempotency) -> bool {
    true
}

async fn find(downstream: &Downstream, _: &Idempotency) -> Reconciled<u64> {
    found(downstream)
}

fn find_blocking(downstream: &Downstream, _: &Idempotency) -> Reconciled<u64> {
    found(downstream)
}

fn found(downstream: &Downstream) -> Reconciled<u64> {
    downstream.wires().first().map_or(Reconciled::DidNotHappen, |wire| Reconciled::Happened(*wire))
}

/// Queues blocking jobs until the test runs them.
#[derive(Default)]
struct LatePool(Arc<Mutex<Vec<Job>>>);

impl std::fmt::Debug for LatePool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LatePool")
    }
}

impl Timer for LatePool {
    fn now(&self) -> Instant {
        TokioTimer::default().now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        TokioTimer::default().sleep(duration)
    }

    fn spawn_blocking(&self, job: Job) {
        self.0.lock().unwrap().push(job);
    }
}

/// Two processes with one store and one downstream.
struct TwoProcesses {
    downstream: Arc<Downstream>,
    store: FaultyStore,
    clock: ManualClock,
    jobs: Arc<Mutex<Vec<Job>>>,
    stopped: Runtime,
    other: Runtime,
}

impl TwoProcesses {
    fn new() -> Self {
        let gate = Semaphore::new(0);
        let downstream = Arc::new(Downstream { gate, wires: Mutex::default() });
        let (store, clock) = (FaultyStore::new(MemoryStore::new()), ManualClock::at(START));
        let builder = || {
            let policy = Policy::new().idempotency_store(store.clone()).clock(clock.clone());
            Runtime::builder()
                .tool::<WireTool>()
                .tool::<WireBlockingTool>()
                .shared_state(downstream.clone())
                .permission("wire", Permission::Allow)
                .permission("wire_blocking", Permission::Allow)
                .policy(policy)
        };
        let pool = LatePool::default();
        let jobs = pool.0.clone();
        let stopped = builder().timer(pool).build().expect("the runtime");
        let other = builder().build().expect("the runtime");
        Self { downstream, store, clock, jobs, stopped, other }
    }
}

/// Stops a process past its lease, lets another one take its key over, and lets it continue.
async fn check_no_effect_after_takeover(tool: &str) {
    let setup = TwoProcesses::new();
    let context = cx("k");
    let mut call = setup.stopped.call(tool, "{}", &context);
    let mut first = pin!(call.execute());
    assert!(first.as_mut().now_or_never().is_none(), "it waits at the gate, or for a thread");
    setup.clock.advance(LEASE);
    setup.downstream.gate.add_permits(2);
    let second = call_in(&setup.other, tool, "{}", &context).await;
    assert!(second.is_ok(), "{second}");
    let jobs = std::mem::take(&mut *setup.jobs.lock().unwrap());
    for job in jobs {
        job();
    }
    check_error(first.await, "CONFLICT", Some("lease_lost"));
    assert_eq!(setup.downstream.wires(), [2], "the run that was taken over has no effect");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_stopped_past_its_lease_runs_nothing_that_was_taken_over() {
    check_no_effect_after_takeover("wire").await;
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_comes_late_to_its_work_begins_nothing_that_was_taken_over() {
    check_no_effect_after_takeover("wire_blocking").await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_stopped_renews_its_lease_before_its_tool_goes_on() {
    let setup = TwoProcesses::new();
    let context = cx("k");
    let mut call = setup.stopped.call("wire", "{}", &context);
    let mut first = pin!(call.execute());
    assert!(first.as_mut().now_or_never().is_none(), "it waits at the gate");
    setup.clock.advance(LEASE);
    setup.downstream.gate.add_permits(1);
    let downstream = setup.downstream.clone();
    setup.store.before_each_operation(move |operation| {
        if operation == StoreOperation::Renew {
            assert!(downstream.wires().is_empty(), "the lease is renewed before the effect");
        }
    });
    let first = first.await;
    assert!(first.is_ok(), "{first}");
    assert!(
        setup.store.operations().contains(&StoreOperation::Renew),
        "{:?}",
        setup.store.operations()
    );
    assert_eq!(setup.downstream.wires(), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_renewed_ends_with_the_calls_deadline() {
    let setup = TwoProcesses::new();
    let context = cx("k");
    let mut call = setup.stopped.call("wire", "{}", &context);
    let mut first = pin!(call.execute());
    assert!(first.as_mut().now_or_never().is_none(), "it waits at the gate");
    setup.clock.advance(LEASE);
    setup.store.hang_at(StoreOperation::Renew);
    setup.downstream.gate.add_permits(1);
    check_error(first.await, "TIMEOUT", None);
    assert_eq!(setup.downstream.wires(), [0_u64; 0]);
    let record = setup.store.record(&scope("wire", "k")).await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
}
