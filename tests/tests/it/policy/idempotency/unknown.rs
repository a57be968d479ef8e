//! A call that is cut off after its tool began is unknown; one that is cut off before is not.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::FutureExt;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyState, MemoryStore};
use tool_runtime::{Job, Sleep, Timer, TokioTimer};

use super::faulty_store::{FaultyStore, StoreOperation};
use super::keyed_runtime::{Act, FIVE, KeyedRuntime, call_in, check_error, cx, detail, scope};

/// Checks that the outcome is unknown, and a repeat is told so and does not run.
async fn check_unknown(setup: &KeyedRuntime, tool: &str) {
    let record = setup.record(tool, "k").await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
    let runs = setup.bank.runs();
    let repeat = setup.call(tool, "k").await;
    check_error(&repeat, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
    assert_eq!(detail(&repeat, "effect").as_deref(), Some("unknown"));
    assert_eq!(setup.bank.runs(), runs);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_timed_out_is_unknown() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Hang]);
    let output = setup.call("pay", "k").await;
    check_error(&output, "TIMEOUT", None);
    assert_eq!(detail(&output, "effect").as_deref(), Some("unknown"));
    check_unknown(&setup, "pay").await;
}

#[tokio::test]
async fn a_call_that_panicked_is_unknown() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Panic]);
    check_error(&setup.call("pay", "k").await, "INTERNAL", None);
    check_unknown(&setup, "pay").await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_may_have_had_its_effect_is_unknown_and_not_tried_again() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Lose]);
    let output = setup.call("pay", "k").await;
    check_error(&output, "UPSTREAM_ERROR", None);
    assert_eq!(detail(&output, "effect").as_deref(), Some("unknown"));
    assert_eq!(setup.bank.runs().len(), 1);
    check_unknown(&setup, "pay").await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_cancelled_while_it_ran_is_unknown() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Hang]);
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        cancellation.cancel();
    });
    check_error(output, "CANCELLED", None);
    check_unknown(&setup, "pay").await;
}

#[tokio::test]
async fn a_call_whose_execute_was_dropped_while_it_ran_is_unknown() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Hang]);
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    assert!(call.execute().now_or_never().is_none());
    assert_eq!(call.status(), CallStatus::Interrupted);
    check_unknown(&setup, "pay").await;
}

#[tokio::test]
async fn a_call_that_never_began_releases_its_key() {
    let setup = KeyedRuntime::new();
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    call.cancellation().unwrap().cancel();
    check_error(call.execute().await, "CANCELLED", Some("cancelled"));
    drop(setup.runtime.call("pay", FIVE, &cx("k")));
    assert_eq!((setup.record("pay", "k").await, setup.bank.runs().len()), (None, 0));
    assert!(setup.call("pay", "k").await.is_ok());
}

/// Keeps blocking jobs until the test releases them.
#[derive(Debug, Clone, Default)]
struct Pool(Arc<QueuedJobs>);

#[derive(Default)]
struct QueuedJobs(Mutex<Vec<Job>>);

impl std::fmt::Debug for QueuedJobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("QueuedJobs")
    }
}

impl Pool {
    fn run_all(&self) {
        let jobs = std::mem::take(&mut *self.0.0.lock().unwrap());
        for job in jobs {
            job();
        }
    }
}

impl Timer for Pool {
    fn now(&self) -> Instant {
        TokioTimer::default().now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        TokioTimer::default().sleep(duration)
    }

    fn spawn_blocking(&self, job: Job) {
        self.0.0.lock().unwrap().push(job);
    }
}

/// Counts the signatures.
type Signed = Mutex<u32>;

/// Signs a book, on a thread of its own.
#[ai_tool(effect = "write", preview = unsigned, blocking, timeout = "2s")]
fn sign(signed: &Signed) -> u32 {
    let mut signed = signed.lock().unwrap();
    *signed += 1;
    *signed
}

fn unsigned(_: &Signed) -> u32 {
    0
}

fn library(pool: &Pool, store: &FaultyStore, signed: &Arc<Signed>) -> Runtime {
    Runtime::builder()
        .tool::<SignTool>()
        .shared_state(signed.clone())
        .permission("sign", Permission::Allow)
        .timer(pool.clone())
        .policy(Policy::new().idempotency_store(store.clone()))
        .build()
        .expect("the runtime")
}

#[tokio::test(start_paused = true)]
async fn a_blocking_tool_that_found_no_thread_in_time_releases_its_key_and_never_begins() {
    let (pool, store, signed) =
        (Pool::default(), FaultyStore::new(MemoryStore::new()), Arc::default());
    let runtime = library(&pool, &store, &signed);
    let late = call_in(&runtime, "sign", "{}", &cx("k")).await;
    check_error(&late, "TIMEOUT", None);
    assert_eq!(detail(&late, "effect").as_deref(), Some("none"));
    assert_eq!(store.record(&scope("sign", "k")).await, None);
    pool.run_all();
    assert_eq!(*signed.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_dropped_call_whose_thread_comes_late_does_not_begin_under_a_released_key() {
    let (pool, store, signed) =
        (Pool::default(), FaultyStore::new(MemoryStore::new()), Arc::default());
    let runtime = library(&pool, &store, &signed);
    // The thread comes just when the dropped call gives its key back.
    let thread = pool.clone();
    store.before_each_operation(move |operation| {
        if operation == StoreOperation::Settle {
            thread.run_all();
        }
    });
    let mut call = runtime.call("sign", "{}", &cx("k"));
    assert!(call.execute().now_or_never().is_none());
    let released = store.record(&scope("sign", "k")).await.is_none();
    let begun = *signed.lock().unwrap() > 0;
    assert!(released && !begun, "released: {released}, begun: {begun}");
}

#[tokio::test]
async fn a_blocking_tool_that_began_and_was_dropped_is_unknown() {
    let (pool, store, signed) =
        (Pool::default(), FaultyStore::new(MemoryStore::new()), Arc::default());
    let runtime = library(&pool, &store, &signed);
    let mut call = runtime.call("sign", "{}", &cx("k"));
    {
        let mut running = std::pin::pin!(call.execute());
        assert!(running.as_mut().now_or_never().is_none());
        pool.run_all();
    }
    assert_eq!(*signed.lock().unwrap(), 1);
    let record = store.record(&scope("sign", "k")).await.expect("a record");
    assert_eq!(record.state, KeyState::Unknown);
}
