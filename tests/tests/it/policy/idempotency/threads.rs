//! A blocking tool that outlives its call: it cannot be stopped, so no other run may start.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryStore};
use tool_runtime::testing::ManualClock;
use tool_runtime::{Job, Sleep, Timer, TokioTimer};

use super::faulty_store::{FaultyStore, StoreOperation};
use super::keyed_runtime::{LEASE, START, call_in, check_error, cx, detail, scope};

/// The longest real time to wait before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A site where holes are drilled, each when the test lets it continue.
struct Bench {
    holes: AtomicU32,
    /// A drill is running.
    runs: AtomicBool,
    begun: Sender<()>,
    go_on: Mutex<Receiver<()>>,
}

/// Drills a hole, on a thread of its own.
#[ai_tool(effect = "write", preview = look, blocking, timeout = "2s")]
fn drill(bench: &Bench) -> u32 {
    bench.runs.store(true, Ordering::SeqCst);
    bench.begun.send(()).unwrap();
    bench.go_on.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    bench.runs.store(false, Ordering::SeqCst);
    bench.holes.fetch_add(1, Ordering::SeqCst) + 1
}

fn look(_: &Bench) -> u32 {
    0
}

/// Threads for drills and for their watchers, and a clock that the test advances.
#[derive(Clone)]
struct Threads(Arc<Hall>);

struct Hall {
    bench: Arc<Bench>,
    begun: Mutex<Receiver<()>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    ticks: Arc<Semaphore>,
    /// Blocking threads can be spawned.
    has_spare: AtomicBool,
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Threads")
    }
}

impl Timer for Threads {
    fn now(&self) -> Instant {
        TokioTimer::default().now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        if Handle::try_current().is_ok() {
            return TokioTimer::default().sleep(duration);
        }
        let ticks = self.0.ticks.clone();
        Box::pin(async move { ticks.acquire().await.unwrap().forget() })
    }

    /// Returns once a drill has begun; watchers are not waited for.
    fn spawn_blocking(&self, job: Job) {
        let watches = self.0.bench.runs.load(Ordering::SeqCst);
        if watches && !self.0.has_spare.load(Ordering::SeqCst) {
            return;
        }
        self.0.threads.lock().unwrap().push(spawn(job));
        if !watches {
            self.0.begun.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        }
    }
}

/// A runtime with a bench, a key store and threads.
struct Workshop {
    runtime: Runtime,
    store: FaultyStore,
    clock: ManualClock,
    hall: Arc<Hall>,
    go_on: Sender<()>,
}

impl Workshop {
    fn new(rules: ToolPolicy) -> Self {
        let ((begun, has_begun), (go_on, may_go_on)) = (channel(), channel());
        let bench = Arc::new(Bench {
            holes: AtomicU32::default(),
            runs: AtomicBool::default(),
            begun,
            go_on: Mutex::new(may_go_on),
        });
        let hall = Arc::new(Hall {
            bench: bench.clone(),
            begun: Mutex::new(has_begun),
            threads: Mutex::default(),
            ticks: Arc::new(Semaphore::new(0)),
            has_spare: AtomicBool::new(true),
        });
        let (store, clock) = (FaultyStore::new(MemoryStore::new()), ManualClock::at(START));
        let policy = Policy::new().idempotency_store(store.clone()).clock(clock.clone());
        let runtime = Runtime::builder()
            .tool::<DrillTool>()
            .shared_state(bench)
            .permission("drill", Permission::Allow)
            .timer(Threads(hall.clone()))
            .policy(policy.rules(rules))
            .build()
            .expect("the runtime");
        Self { runtime, store, clock, hall, go_on }
    }

    async fn drill(&self, key: &str) -> ToolOutput {
        call_in(&self.runtime, "drill", "{}", &cx(key)).await
    }

    /// Releases the drill, and waits until all threads have ended.
    fn end(&self) {
        self.go_on.send(()).unwrap();
        let threads = std::mem::take(&mut *self.hall.threads.lock().unwrap());
        for thread in threads {
            thread.join().unwrap();
        }
    }

    fn holes(&self) -> u32 {
        self.hall.bench.holes.load(Ordering::SeqCst)
    }

    /// Checks that no repeat runs beside the drill, and that its outcome is unknown afterwards.
    async fn check_outlasted(&self) {
        let repeat = self.drill("k").await;
        check_error(&repeat, "CONFLICT", Some("in_flight"));
        assert_eq!(detail(&repeat, "effect").as_deref(), Some("none"));
        self.end();
        let record = self.store.record(&scope("drill", "k")).await.expect("a record");
        assert_eq!((record.state, self.holes()), (KeyState::Unknown, 1));
        let repeat = self.drill("k").await;
        check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(self.holes(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_does_not_begin_beside_a_thread_that_has_outlived_its_deadline() {
    let workshop = Workshop::new(ToolPolicy::new());
    let late = workshop.drill("k").await;
    check_error(&late, "TIMEOUT", None);
    assert_eq!(detail(&late, "effect").as_deref(), Some("unknown"));
    workshop.check_outlasted().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeat_does_not_begin_beside_a_thread_whose_call_was_dropped() {
    let workshop = Workshop::new(ToolPolicy::new());
    let mut call = workshop.runtime.call("drill", "{}", &cx("k"));
    assert!(call.execute().now_or_never().is_none());
    drop(call);
    workshop.check_outlasted().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeat_does_not_begin_beside_a_thread_that_no_other_thread_can_watch() {
    for drops in [false, true] {
        let workshop = Workshop::new(ToolPolicy::new());
        workshop.hall.has_spare.store(false, Ordering::SeqCst);
        if drops {
            let mut call = workshop.runtime.call("drill", "{}", &cx("k"));
            assert!(call.execute().now_or_never().is_none());
        } else {
            check_error(&workshop.drill("k").await, "TIMEOUT", None);
        }
        workshop.check_outlasted().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_has_outlived_its_call_gives_signs_of_life() {
    let workshop = Workshop::new(ToolPolicy::new());
    check_error(&workshop.drill("k").await, "TIMEOUT", None);
    let (renewing, renewals) = channel();
    workshop.store.before_each_operation(move |operation| {
        if operation == StoreOperation::Renew {
            renewing.send(()).unwrap();
        }
    });
    for _ in 0..3 {
        workshop.clock.advance(LEASE / 2);
        // The second one starts when the first one is stored.
        for _ in 0..2 {
            workshop.hall.ticks.add_permits(1);
            renewals.recv_timeout(PATIENCE).expect("a sign of life");
        }
        check_error(&workshop.drill("k").await, "CONFLICT", Some("in_flight"));
    }
    workshop.check_outlasted().await;
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_has_outlived_its_call_keeps_its_place() {
    let one = || ToolPolicy::new().max_concurrent(1).max_queue(0);
    for drops in [false, true] {
        let workshop = Workshop::new(one());
        if drops {
            let mut call = workshop.runtime.call("drill", "{}", &cx("k"));
            assert!(call.execute().now_or_never().is_none());
        } else {
            check_error(&workshop.drill("k").await, "TIMEOUT", None);
        }
        check_error(&workshop.drill("other").await, "UNAVAILABLE", Some("queue_full"));
        workshop.end();
        let mut call = workshop.runtime.call("drill", "{}", &cx("other"));
        let mut running = std::pin::pin!(call.execute());
        assert!(running.as_mut().now_or_never().is_none());
        workshop.end();
        let other = running.await;
        assert_eq!((other.data_json(), workshop.holes()), (Some("2"), 2), "{other}");
    }
}
