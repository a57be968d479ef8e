//! Retries: which failures, how often, and with which delays.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::Instant;
use tool_runtime::contracts::{ErrorCode, ToolCallRequest};
use tool_runtime::policy::{BreakerConfig, Policy, RateLimit, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use super::script::{
    Script, ScriptedError, ScriptedResult, builder, busy, call, jane, runtime, scripted_error,
    settle, user_context,
};
use crate::support::envelope;

const MS: Duration = Duration::from_millis(1);

/// Fails so often with this, then answers.
fn failing(times: u32, act: impl Fn() -> ScriptedResult + Send + Sync + 'static) -> Arc<Script> {
    Script::quick(move |run| if run <= times { act() } else { Ok(run) })
}

fn keyed(key: &str) -> ToolContext {
    jane().with_idempotency_key(key).expect("a key")
}

fn advised(milliseconds: u64) -> ScriptedResult {
    Err(ScriptedError(Failure::from_code(ErrorCode::RateLimited).with_retry_after_ms(milliseconds)))
}

#[tokio::test(start_paused = true)]
async fn a_read_is_tried_three_times() {
    let script = failing(2, busy);
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!((&answer["data"], &answer["meta"]["attempts"]), (&json!(3), &json!(3)));
    let pauses = script.pauses();
    assert!(pauses[0] >= 100 * MS && pauses[0] <= 201 * MS, "{pauses:?}");
    assert!(pauses[1] >= 200 * MS && pauses[1] <= 401 * MS, "{pauses:?}");

    let script = failing(9, busy);
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!(script.runs(), 3);
    assert_eq!(answer["error"]["code"], "UNAVAILABLE");
    assert_eq!((&answer["error"]["attempt"], &answer["meta"]["attempts"]), (&json!(3), &json!(3)));
}

#[tokio::test(start_paused = true)]
async fn an_answer_at_once_says_nothing_of_attempts() {
    let script = failing(0, busy);
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!(answer["meta"].get("attempts"), None);
}

#[tokio::test(start_paused = true)]
async fn only_what_may_pass_by_itself_is_tried_again() {
    use ErrorCode as Code;
    let again = [Code::RateLimited, Code::Timeout, Code::UpstreamError, Code::Unavailable];
    let cases = again.map(|code| (code, 3)).into_iter().chain(
        [Code::InvalidArgument, Code::NotFound, Code::Forbidden, Code::Internal, Code::OutOfStock]
            .map(|code| (code, 1)),
    );
    for (code, runs) in cases.chain([(Code::Conflict, 3)]) {
        let script = failing(9, move || scripted_error(code));
        let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
        assert_eq!((script.runs(), &answer["error"]["code"]), (runs, &json!(code.as_str())));
        assert_eq!(answer["error"]["attempt"], json!(runs), "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn advice_is_waited_for_and_advice_that_is_too_long_ends_it() {
    let script = failing(1, || advised(7_000));
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!(answer["data"], 2);
    assert_eq!(script.pauses(), [7_000 * MS]);

    let script = failing(1, || advised(10_001));
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!((script.runs(), &answer["error"]["retry_after_ms"]), (1, &json!(10_001)));
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_would_pass_the_deadline_is_not_begun() {
    let script = failing(9, || advised(600));
    let before = Instant::now();
    let answer = call(&runtime(&script, ToolPolicy::new()), "glance", &jane()).await;
    assert_eq!(script.runs(), 2, "the third would begin at 1,200 of 1,000 ms");
    assert_eq!(before.elapsed(), 600 * MS, "its end is known at once");
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["attempt"]),
        (&json!("RATE_LIMITED"), &json!(2))
    );
}

#[tokio::test(start_paused = true)]
async fn all_attempts_share_one_deadline() {
    let script = Script::new(|run| async move {
        if run == 2 {
            std::future::pending::<()>().await;
        }
        busy()
    });
    let before = Instant::now();
    let answer = call(&runtime(&script, ToolPolicy::new()), "glance", &jane()).await;
    assert_eq!(before.elapsed(), 1_000 * MS);
    assert_eq!(answer["error"]["code"], "TIMEOUT");
    assert_eq!(answer["error"]["details"]["effect"], "none");
    assert_eq!((&answer["error"]["attempt"], &answer["meta"]["attempts"]), (&json!(2), &json!(2)));
    assert_eq!(answer["meta"]["took_ms"], 1_000, "it is the whole call's time");
}

#[tokio::test(start_paused = true)]
async fn a_write_is_retried_only_where_that_is_safe() {
    async fn runs(tool: &str, cx: &ToolContext) -> usize {
        let script = failing(9, busy);
        call(&runtime(&script, ToolPolicy::new()), tool, cx).await;
        script.runs()
    }
    assert_eq!(runs("put", &jane()).await, 1, "a plain one");
    assert_eq!(runs("set", &jane()).await, 3, "an idempotent one");
    assert_eq!(runs("put", &keyed("k")).await, 3, "one under the caller's key");
    assert_eq!(runs("put", &jane().with_dry_run(true)).await, 3, "a dry run");
}

#[tokio::test(start_paused = true)]
async fn a_write_under_a_derived_key_is_not_tried_again() {
    let script = failing(9, busy);
    let runtime = runtime(&script, ToolPolicy::new());
    let arguments = serde_json::value::to_raw_value(&json!({})).unwrap();
    let mut calls = runtime.call_all(&[ToolCallRequest::new("call-1", "put", arguments)], &jane());
    runtime.execute_all(&mut calls).await;
    assert_eq!(script.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_write_with_an_unknown_effect_is_retried_only_where_that_is_safe() {
    let script = failing(9, || {
        Err(ScriptedError(Failure::from_code(ErrorCode::UpstreamError).with_effect_unknown()))
    });
    let runtime = runtime(&script, ToolPolicy::new());
    for (tool, runs) in [("put", 1), ("set", 4), ("peek", 7)] {
        let cx = keyed(tool);
        assert_eq!(call(&runtime, tool, &cx).await["error"]["details"]["effect"], "unknown");
        assert_eq!(script.runs(), runs, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_reply_was_lost_may_have_had_its_effect() {
    for code in [ErrorCode::Timeout, ErrorCode::UpstreamError] {
        let script = failing(9, move || Err(ScriptedError(Failure::from_code(code))));
        let runtime = runtime(&script, ToolPolicy::new());
        let found = call(&runtime, "put", &keyed("k")).await;
        assert_eq!((&found["error"]["details"]["effect"], script.runs()), (&json!("unknown"), 1));
        let again = call(&runtime, "put", &keyed("k")).await;
        assert_eq!(again["error"]["details"]["reason"], "outcome_unknown", "{code:?}");
        assert_eq!(script.runs(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_not_tried_again() {
    let script = Script::quick(|_| panic!("the tool breaks"));
    let answer = call(&runtime(&script, ToolPolicy::new()), "peek", &jane()).await;
    assert_eq!((script.runs(), &answer["error"]["code"]), (1, &json!("INTERNAL")));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_of_the_runtimes_is_not_tried_again() {
    let script = Script::new(|_| std::future::pending());
    let answer = call(&runtime(&script, ToolPolicy::new()), "glance", &jane()).await;
    assert_eq!((script.runs(), &answer["error"]["code"]), (1, &json!("TIMEOUT")));
}

#[tokio::test(start_paused = true)]
async fn the_runtimes_own_refusals_are_not_tried_again() {
    // Each would be admitted if it were retried after its advice.
    let limited = ToolPolicy::new().rate_limit(RateLimit::per_second(1).unwrap());
    let breaker = BreakerConfig::failures_in_a_row(1).unwrap().with_open_for(50 * MS).unwrap();
    let opened = ToolPolicy::new().breaker(breaker);
    for (rules, code) in [(limited, "RATE_LIMITED"), (opened, "UNAVAILABLE")] {
        let script = failing(9, || scripted_error(ErrorCode::UpstreamError));
        let runtime = runtime(&script, rules);
        call(&runtime, "peek", &jane()).await;
        let before = Instant::now();
        let refused = call(&runtime, "peek", &jane()).await;
        assert_eq!(refused["error"]["code"], code);
        assert_eq!((script.runs(), before.elapsed()), (3, Duration::ZERO));
        assert_eq!(refused["error"].get("attempt"), None, "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_in_flight_is_not_tried_again() {
    let script = Script::new(|_| async {
        tokio::time::sleep(200 * MS).await;
        Ok(1)
    });
    let runtime = runtime(&script, ToolPolicy::new());
    let cx = keyed("k");
    let mut first = runtime.call("put", "{}", &cx);
    let (_, (refused, waited)) = futures::join!(first.execute(), async {
        settle().await;
        let before = Instant::now();
        (call(&runtime, "put", &cx).await, before.elapsed())
    });
    assert_eq!((&refused["error"]["code"], waited), (&json!("CONFLICT"), Duration::ZERO));
    assert_eq!(script.runs(), 1);
}

#[tokio::test]
async fn a_full_house_of_blocking_tools_is_not_tried_again() {
    /// Blocks until it is let go.
    #[ai_tool(effect = "read", blocking)]
    fn block(gate: &Mutex<mpsc::Receiver<()>>) -> bool {
        gate.lock().is_ok_and(|gate| gate.recv().is_ok())
    }
    let (let_go, gate) = mpsc::channel();
    let runtime = Runtime::builder().tool::<BlockTool>().max_blocking_tools(1);
    let runtime = runtime.state(Mutex::new(gate)).build().unwrap();
    let mut first = runtime.call("block", "{}", &jane());
    let (output, refused) = futures::join!(first.execute(), async {
        // It would find a slot if it were retried.
        let mut second = runtime.call("block", "{}", &jane());
        let mut second = Box::pin(second.execute());
        let refused = futures::poll!(&mut second).map(envelope);
        let_go.send(()).unwrap();
        refused
    });
    assert!(output.is_ok(), "{output}");
    let std::task::Poll::Ready(refused) = refused else { panic!("it waits for a second try") };
    assert_eq!(refused["error"]["code"], "UNAVAILABLE");
    assert_eq!(refused["error"].get("attempt"), None);
}

/// A stock that answers at the second attempt.
struct Late;

impl FromCall for Late {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        let asked = call.state::<AtomicU32>().expect("it was given");
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Failure::from_code(ErrorCode::Unavailable)),
            _ => Ok(Self),
        }
    }
}

/// Reads what it borrows.
#[ai_tool(effect = "read")]
async fn borrow(late: &Late) -> bool {
    let _ = late;
    true
}

/// Writes what it borrows.
#[ai_tool(effect = "write", idempotent)]
async fn lend(late: &Late, dry_run: &DryRun) -> bool {
    let _ = (late, dry_run);
    true
}

#[tokio::test(start_paused = true)]
async fn a_refused_host_value_is_not_tried_again() {
    for tool in ["borrow", "lend"] {
        let asked = Arc::<AtomicU32>::default();
        let runtime = Runtime::builder().tool::<BorrowTool>().tool::<LendTool>();
        let runtime = runtime.permission("lend", Permission::Allow).shared_state(asked.clone());
        let runtime = runtime.build().unwrap();
        let found = call(&runtime, tool, &keyed("k")).await;
        assert_eq!(
            (&found["error"]["code"], asked.load(Ordering::SeqCst)),
            (&json!("UNAVAILABLE"), 1)
        );
        assert_eq!(found["error"].get("attempt"), None, "the tool had no attempt");
        // The key was not used up either.
        assert_eq!(call(&runtime, tool, &keyed("k")).await["data"], true, "{tool}");
    }
}

#[tokio::test]
async fn a_blocking_tool_is_tried_again() {
    /// Blocks, and fails at first.
    #[ai_tool(effect = "read", blocking)]
    fn block(runs: &AtomicU32) -> Result<u32, ScriptedError> {
        match runs.fetch_add(1, Ordering::SeqCst) {
            0 => busy(),
            run => Ok(run),
        }
    }
    let rules = ToolPolicy::new().retry(RetryConfig::new(2, 1.0, 10).unwrap());
    let policy = Policy::new().rules(rules);
    let runtime = Runtime::builder().tool::<BlockTool>().policy(policy);
    let runtime = runtime.state(AtomicU32::new(0)).build().unwrap();
    let found = call(&runtime, "block", &jane()).await;
    assert_eq!((&found["data"], &found["meta"]["attempts"]), (&json!(1), &json!(2)));
}

#[tokio::test(start_paused = true)]
async fn never_means_once() {
    let script = failing(9, busy);
    let runtime = runtime(&script, ToolPolicy::new().retry(RetryConfig::never()));
    let found = call(&runtime, "peek", &jane()).await;
    assert_eq!(script.runs(), 1);
    assert_eq!(found["meta"].get("attempts"), None, "attempts were not asked for");
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_pause_at_once() {
    for (tool, cx) in [("peek", jane()), ("put", keyed("k"))] {
        let script = failing(9, || advised(5_000));
        let runtime = runtime(&script, ToolPolicy::new());
        let mut paused = runtime.call(tool, "{}", &cx);
        let cancellation = paused.cancellation().unwrap();
        let before = Instant::now();
        let (output, ()) = futures::join!(paused.execute(), async {
            settle().await;
            cancellation.cancel();
        });
        let found = envelope(output);
        assert_eq!(
            (found["error"]["code"].as_str(), before.elapsed()),
            (Some("CANCELLED"), Duration::ZERO)
        );
        assert_eq!(found["error"]["details"]["effect"], "none", "{tool}");
        assert_eq!((paused.status(), script.runs()), (CallStatus::Interrupted, 1));
        // The key of the write is free again.
        assert_eq!(call(&runtime, tool, &cx).await["error"]["code"], "RATE_LIMITED");
        assert!(script.runs() > 1);
    }
}

/// Fails at first; every run leaves traces.
#[ai_tool(effect = "read")]
async fn trace(
    meta: &MetaRecorder,
    progress: &Progress,
    late: &Mutex<Vec<MetaRecorder>>,
) -> Result<u32, ScriptedError> {
    let run = {
        let mut late = late.lock().unwrap();
        late.push(meta.clone());
        late.iter().for_each(|recorder| recorder.source_count(late.len().to_string(), 1));
        late.len()
    };
    progress.report(None, format!("run {run}"));
    if run == 1 {
        meta.warning("the first run has failed");
        return busy();
    }
    // The first run's leftover recorder is used now.
    late.lock().unwrap()[0].warning("a late word of the first run");
    Ok(2)
}

#[tokio::test(start_paused = true)]
async fn metadata_of_a_failed_attempt_is_in_no_answer() {
    let runtime = Runtime::builder().tool::<TraceTool>();
    let runtime = runtime.state(Mutex::new(Vec::<MetaRecorder>::new())).build().unwrap();
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let mut traced = runtime.call("trace", "{}", &jane());
    let listener = heard.clone();
    traced.on_progress(move |update| listener.lock().unwrap().push(update.message));
    let found = envelope(traced.execute().await);
    assert_eq!(found["data"], 2);
    assert_eq!(found["meta"]["source_counts"], json!({ "2": 1 }));
    assert_eq!(found["meta"].get("warnings").cloned().unwrap_or(Value::Null), Value::Null);
    assert_eq!(*heard.lock().unwrap(), ["run 1", "run 2"]);
}

#[tokio::test(start_paused = true)]
async fn retries_of_a_tool_that_always_fails_are_bounded() {
    const CALLS: usize = 2_000;
    let script = failing(u32::MAX, busy);
    let runtime = builder(&script).build().unwrap();
    let cx = jane();
    join_all((0..CALLS).map(|_| call(&runtime, "peek", &cx))).await;
    let retries = script.runs() - CALLS;
    // A fifth of the calls, and ten per second for the ten seconds of the window.
    assert!(retries >= 100, "{retries}: some are tried again");
    assert!(retries <= CALLS / 5 + 110, "{retries}: 4,000 would be tried without a bound");

    call(&runtime, "look", &user_context(2, "joe")).await;
    let further = script.runs() - CALLS - retries;
    assert_eq!(further, 3, "another tool has a budget of its own");
}
