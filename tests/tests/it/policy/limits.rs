//! Breakers, rate limits and concurrency limits: refusals, their advice, and recovery.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, advance};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::policy::{BreakerConfig, Policy, RateLimit, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use super::script::{
    Script, ScriptedResult, builder, busy, call, jane, runtime, scripted_error, settle,
    user_context,
};
use crate::support::envelope;

const MS: Duration = Duration::from_millis(1);

/// Rules under which every call is one run.
fn once() -> ToolPolicy {
    ToolPolicy::new().retry(RetryConfig::never())
}

/// Expects a refusal of the runtime's for this reason; gives its advice.
#[track_caller]
fn refused(found: &Value, code: &str, reason: &str) -> Duration {
    let error = &found["error"];
    assert_eq!((&error["code"], &error["details"]["reason"]), (&json!(code), &json!(reason)));
    assert_eq!(error["details"]["effect"], "none");
    Duration::from_millis(error["retry_after_ms"].as_u64().expect("advice"))
}

/// Fails until it is told to work.
fn until(
    works: &Arc<AtomicU32>,
    act: impl Fn() -> ScriptedResult + Send + Sync + 'static,
) -> Arc<Script> {
    let works = works.clone();
    Script::quick(move |run| if works.load(Ordering::SeqCst) == 0 { act() } else { Ok(run) })
}

#[tokio::test(start_paused = true)]
async fn a_breaker_opens_probes_and_closes() {
    let works = Arc::<AtomicU32>::default();
    let script = until(&works, busy);
    let breaker = BreakerConfig::failures_in_a_row(3).unwrap().with_open_for(5_000 * MS).unwrap();
    let runtime = runtime(&script, once().breaker(breaker));
    for _ in 0..3 {
        assert_eq!(call(&runtime, "peek", &jane()).await["error"]["code"], "UNAVAILABLE");
    }
    advance(1_000 * MS).await;
    let found = call(&runtime, "peek", &jane()).await;
    assert_eq!(refused(&found, "UNAVAILABLE", "breaker_open"), 4_000 * MS);
    assert_eq!(script.runs(), 3, "an open breaker admits no call");
    call(&runtime, "look", &jane()).await;
    assert_eq!(script.runs(), 4, "another tool has a breaker of its own");

    advance(4_000 * MS).await;
    call(&runtime, "peek", &jane()).await;
    assert_eq!(script.runs(), 5, "one probe is let in");
    let found = call(&runtime, "peek", &jane()).await;
    assert_eq!(refused(&found, "UNAVAILABLE", "breaker_open"), 5_000 * MS);

    advance(5_000 * MS).await;
    works.store(1, Ordering::SeqCst);
    for _ in 0..3 {
        assert_eq!(call(&runtime, "peek", &jane()).await["status"], "ok");
    }
}

#[tokio::test(start_paused = true)]
async fn a_half_open_breaker_lets_one_probe_in_at_a_time() {
    let script = Script::new(|run| async move {
        if run == 1 {
            return busy();
        }
        tokio::time::sleep(100 * MS).await;
        Ok(run)
    });
    let breaker = BreakerConfig::failures_in_a_row(1).unwrap().with_open_for(50 * MS).unwrap();
    let runtime = runtime(&script, once().breaker(breaker));
    call(&runtime, "peek", &jane()).await;
    advance(50 * MS).await;
    let cx = jane();
    let found = join_all((0..5).map(|_| call(&runtime, "peek", &cx))).await;
    assert_eq!(found[0]["status"], "ok");
    for found in &found[1..] {
        refused(found, "UNAVAILABLE", "breaker_open");
    }
    assert_eq!(script.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_gives_its_place_back() {
    let script = Script::new(|run| async move {
        if run == 2 {
            std::future::pending::<()>().await;
        }
        if run == 1 { busy() } else { Ok(run) }
    });
    let breaker = BreakerConfig::failures_in_a_row(1).unwrap().with_open_for(50 * MS).unwrap();
    let runtime = runtime(&script, once().breaker(breaker));
    call(&runtime, "peek", &jane()).await;
    advance(50 * MS).await;
    assert!(runtime.call("peek", "{}", &jane()).execute().now_or_never().is_none());
    assert_eq!(call(&runtime, "peek", &jane()).await["data"], 3);
}

#[tokio::test(start_paused = true)]
async fn only_what_may_pass_by_itself_opens_a_breaker() {
    let breaker = BreakerConfig::failures_in_a_row(2).unwrap();
    for (code, opens) in [
        (ErrorCode::NotFound, false),
        (ErrorCode::Forbidden, false),
        (ErrorCode::UpstreamError, true),
        (ErrorCode::RateLimited, true),
    ] {
        let script = Script::quick(move |_| scripted_error(code));
        let runtime = runtime(&script, once().breaker(breaker));
        for _ in 0..4 {
            call(&runtime, "peek", &jane()).await;
        }
        assert_eq!(script.runs(), if opens { 2 } else { 4 }, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_permanent_failure_breaks_a_row_of_others() {
    let script =
        Script::quick(|run| if run == 2 { scripted_error(ErrorCode::NotFound) } else { busy() });
    let runtime = runtime(&script, once().breaker(BreakerConfig::failures_in_a_row(2).unwrap()));
    for _ in 0..5 {
        call(&runtime, "peek", &jane()).await;
    }
    assert_eq!(script.runs(), 4, "the third and the fourth are the row");
}

#[tokio::test(start_paused = true)]
async fn a_panic_and_a_deadline_count_as_failures() {
    let script = Script::new(|run| async move {
        assert!(run > 1, "the tool breaks");
        std::future::pending().await
    });
    let runtime = runtime(&script, once().breaker(BreakerConfig::failures_in_a_row(2).unwrap()));
    let cx = jane();
    assert_eq!(call(&runtime, "glance", &cx).await["error"]["code"], "INTERNAL");
    assert_eq!(call(&runtime, "glance", &cx).await["error"]["code"], "TIMEOUT");
    refused(&call(&runtime, "glance", &cx).await, "UNAVAILABLE", "breaker_open");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_the_caller_shortened_is_no_failure_of_the_tool() {
    let script = Script::new(|run| async move {
        tokio::time::sleep(10 * MS).await;
        Ok(run)
    });
    let runtime = runtime(&script, once().breaker(BreakerConfig::failures_in_a_row(1).unwrap()));
    let hasty = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").timeouts_ms(5);
    let hasty = hasty.build().unwrap();
    for tool in ["peek", "glance", "set"] {
        for _ in 0..3 {
            assert_eq!(call(&runtime, tool, &hasty).await["error"]["code"], "TIMEOUT", "{tool}");
        }
        assert_eq!(call(&runtime, tool, &jane()).await["status"], "ok", "{tool}");
    }
    // More time than the tool has of its own is not a shorter deadline.
    let script = Script::new(|_| std::future::pending());
    let runtime =
        self::runtime(&script, once().breaker(BreakerConfig::failures_in_a_row(1).unwrap()));
    let patient = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").timeouts_ms(60_000);
    let patient = patient.build().unwrap();
    assert_eq!(call(&runtime, "glance", &patient).await["error"]["code"], "TIMEOUT");
    refused(&call(&runtime, "glance", &patient).await, "UNAVAILABLE", "breaker_open");
}

#[tokio::test(start_paused = true)]
async fn one_tenants_failures_do_not_open_the_breaker_of_another() {
    let script = Script::quick(|run| if run <= 3 { busy() } else { Ok(run) });
    let runtime = runtime(&script, once().breaker(BreakerConfig::failures_in_a_row(3).unwrap()));
    for _ in 0..3 {
        assert_eq!(
            call(&runtime, "peek", &user_context(1, "jane")).await["error"]["code"],
            "UNAVAILABLE"
        );
    }
    refused(&call(&runtime, "peek", &user_context(1, "joe")).await, "UNAVAILABLE", "breaker_open");
    assert_eq!(call(&runtime, "peek", &user_context(2, "jane")).await["status"], "ok");
}

#[tokio::test(start_paused = true)]
async fn refusals_and_cancellations_do_not_count() {
    let script = Script::new(|run| async move {
        if run > 1 {
            std::future::pending::<()>().await;
        }
        Ok(run)
    });
    let rules = once().breaker(BreakerConfig::failures_in_a_row(1).unwrap());
    let rules = rules.rate_limit(RateLimit::per_second(1).unwrap().burst(2).unwrap());
    let runtime = runtime(&script, rules);
    let cx = jane();
    assert_eq!(call(&runtime, "peek", &cx).await["status"], "ok");
    let wrong = super::script::call_with(&runtime, "peek", r#"{"x":1}"#, &cx).await;
    assert_eq!(wrong["error"]["code"], "INVALID_ARGUMENT");
    let mut cancelled = runtime.call("peek", "{}", &cx);
    let cancellation = cancelled.cancellation().unwrap();
    let (output, ()) = futures::join!(cancelled.execute(), async { cancellation.cancel() });
    assert_eq!(envelope(output)["error"]["code"], "CANCELLED");
    for _ in 0..3 {
        refused(&call(&runtime, "peek", &cx).await, "RATE_LIMITED", "rate_limit");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rate_is_a_tenants_and_a_tools() {
    let script = Script::quick(Ok);
    let rate = RateLimit::per_minute(2).unwrap();
    let runtime = runtime(&script, ToolPolicy::new().rate_limit(rate));
    for user in ["jane", "joe"] {
        assert_eq!(call(&runtime, "peek", &user_context(1, user)).await["status"], "ok");
    }
    let found = call(&runtime, "peek", &user_context(1, "jim")).await;
    assert_eq!(found["error"]["type"], "RATE_LIMIT");
    let wait = refused(&found, "RATE_LIMITED", "rate_limit");
    assert_eq!(wait, Duration::from_secs(30));
    assert_eq!(call(&runtime, "peek", &user_context(2, "jane")).await["status"], "ok");
    assert_eq!(call(&runtime, "look", &user_context(1, "jane")).await["status"], "ok");
    assert_eq!(script.runs(), 4);

    advance(29_999 * MS).await;
    refused(&call(&runtime, "peek", &jane()).await, "RATE_LIMITED", "rate_limit");
    advance(MS).await;
    assert_eq!(call(&runtime, "peek", &jane()).await["status"], "ok");
    refused(&call(&runtime, "peek", &jane()).await, "RATE_LIMITED", "rate_limit");
}

/// Runs until it is let go, and counts how many run at once.
struct Door {
    open: Arc<Semaphore>,
    inside: Arc<AtomicU32>,
    peak: Arc<AtomicU32>,
}

impl Door {
    fn shut() -> (Self, Arc<Script>) {
        let door = Self {
            open: Arc::new(Semaphore::new(0)),
            inside: Arc::default(),
            peak: Arc::default(),
        };
        let Self { open, inside, peak } = &door;
        let (open, inside, peak) = (open.clone(), inside.clone(), peak.clone());
        let script = Script::new(move |run| {
            let (open, inside, peak) = (open.clone(), inside.clone(), peak.clone());
            async move {
                peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                open.acquire().await.expect("the door stays").forget();
                inside.fetch_sub(1, Ordering::SeqCst);
                Ok(run)
            }
        });
        (door, script)
    }

    fn open(&self, calls: usize) {
        self.open.add_permits(calls);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_runs_no_more_often_at_once_than_its_places() {
    let (door, script) = Door::shut();
    let runtime = runtime(&script, ToolPolicy::new().max_concurrent(2).max_queue(3));
    let cx = jane();
    let calls = join_all((0..7).map(|_| call(&runtime, "peek", &cx)));
    let (found, ()) = futures::join!(calls, async {
        settle().await;
        assert_eq!(script.runs(), 2);
        door.open(7);
    });
    assert!(found[..5].iter().all(|found| found["status"] == "ok"), "{found:?}");
    for found in &found[5..] {
        assert_eq!(refused(found, "UNAVAILABLE", "queue_full"), 1_000 * MS);
    }
    assert_eq!((door.peak.load(Ordering::SeqCst), script.runs()), (2, 5));
}

#[tokio::test(start_paused = true)]
async fn no_call_waits_without_a_queue() {
    let (door, script) = Door::shut();
    let runtime = runtime(&script, ToolPolicy::new().max_concurrent(1).max_queue(0));
    let mut first = runtime.call("peek", "{}", &jane());
    let (output, ()) = futures::join!(first.execute(), async {
        refused(&call(&runtime, "peek", &jane()).await, "UNAVAILABLE", "queue_full");
        door.open(1);
    });
    assert!(output.is_ok());
}

#[tokio::test(start_paused = true)]
async fn all_tools_together_run_no_more_often_than_all_places() {
    let (door, script) = Door::shut();
    let policy = Policy::new().max_in_flight(3).max_queue(2);
    let runtime = builder(&script).policy(policy).build().unwrap();
    let cx = jane();
    let names = ["peek", "look", "put", "set", "peek", "look"];
    let calls = join_all(names.map(|name| call(&runtime, name, &cx)));
    let (found, ()) = futures::join!(calls, async {
        settle().await;
        assert_eq!(script.runs(), 3);
        door.open(6);
    });
    assert!(found[..5].iter().all(|found| found["status"] == "ok"), "{found:?}");
    refused(&found[5], "UNAVAILABLE", "queue_full");
    assert_eq!(door.peak.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_is_bounded_by_the_deadline() {
    let (_door, script) = Door::shut();
    let runtime = runtime(&script, ToolPolicy::new().max_concurrent(1));
    let mut first = runtime.call("glance", "{}", &jane());
    let mut second = runtime.call("glance", "{}", &jane());
    let before = Instant::now();
    let (first, second) = futures::join!(first.execute(), async {
        advance(400 * MS).await;
        let began = Instant::now();
        let found = envelope(second.execute().await);
        (found, began.elapsed(), second.status())
    });
    assert_eq!(envelope(first)["error"]["code"], "TIMEOUT");
    let (found, waited, status) = second;
    // It got the first one's slot after 600 ms, and had 400 ms left to run.
    assert_eq!((found["error"]["code"].as_str(), waited), (Some("TIMEOUT"), 1_000 * MS));
    assert_eq!((status, script.runs()), (CallStatus::Failed, 2));
    assert_eq!(before.elapsed(), 1_400 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_without_success_has_had_no_effect() {
    let (door, script) = Door::shut();
    let runtime = runtime(&script, ToolPolicy::new().max_concurrent(1));
    let patient = jane();
    let hasty = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").timeouts_ms(50);
    let hasty = hasty.build().unwrap();
    let mut first = runtime.call("put", "{}", &patient);
    let (output, ()) = futures::join!(first.execute(), async {
        settle().await;
        let mut second = runtime.call("put", "{}", &hasty);
        let found = envelope(second.execute().await);
        assert_eq!(
            (&found["error"]["code"], &found["error"]["details"]["effect"]),
            (&json!("TIMEOUT"), &json!("none"))
        );
        assert_eq!((second.status(), script.runs()), (CallStatus::NotExecuted, 1));

        let mut third = runtime.call("put", "{}", &patient);
        let cancellation = third.cancellation().unwrap();
        let (found, ()) = futures::join!(async { envelope(third.execute().await) }, async {
            settle().await;
            cancellation.cancel();
        });
        assert_eq!(
            (&found["error"]["code"], &found["error"]["details"]["effect"]),
            (&json!("CANCELLED"), &json!("none"))
        );
        assert_eq!((third.status(), script.runs()), (CallStatus::NotExecuted, 1));
        door.open(2);
    });
    assert!(output.is_ok());
    assert_eq!(call(&runtime, "put", &patient).await["status"], "ok", "both places are back");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_releases_its_permits() {
    let (door, script) = Door::shut();
    let policy =
        Policy::new().max_in_flight(1).rules(ToolPolicy::new().max_concurrent(1).max_queue(1));
    let runtime = builder(&script).policy(policy).build().unwrap();
    let cx = jane();
    for _ in 0..3 {
        let (mut runs, mut waits) =
            (runtime.call("peek", "{}", &cx), runtime.call("peek", "{}", &cx));
        let mut runs = Box::pin(runs.execute());
        assert!(futures::poll!(&mut runs).is_pending());
        assert!(waits.execute().now_or_never().is_none(), "it waits");
        assert!(
            runtime.call("peek", "{}", &cx).execute().now_or_never().is_none(),
            "and so may the next"
        );
    }
    door.open(1);
    assert_eq!(call(&runtime, "peek", &cx).await["status"], "ok");
}

#[tokio::test(start_paused = true)]
async fn a_tools_places_and_all_places_never_wait_for_each_other() {
    let script = Script::new(|run| async move {
        tokio::time::sleep(10 * MS).await;
        Ok(run)
    });
    let rules = ToolPolicy::new().max_concurrent(1).max_queue(1_000);
    let policy = Policy::new().max_in_flight(2).rules(rules);
    let runtime = builder(&script).policy(policy).build().unwrap();
    let cx = jane();
    let before = Instant::now();
    let names = ["peek", "look", "put", "set"].into_iter().cycle().take(200);
    let found = join_all(names.map(|name| call(&runtime, name, &cx))).await;
    assert!(found.iter().all(|found| found["status"] == "ok"));
    assert!(before.elapsed() <= 200 * 10 * MS, "{:?}", before.elapsed());
}
