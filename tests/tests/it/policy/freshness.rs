//! Cached answers: their keys, their expiry, and single flights.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::time::{Instant, advance, sleep};
use tool_runtime::DynamicTool;
use tool_runtime::contracts::{Actor, ActorType, Client, ClientApp, ErrorCode, ToolContextBuilder};
use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use super::script::{
    Script, ScriptedError, busy, call_with, jane, scripted_error, settle, user_context,
};
use crate::support::envelope;

const MS: Duration = Duration::from_millis(1);
const A_MINUTE: Duration = Duration::from_secs(60);

/// Finds an answer that is cached for a minute.
#[ai_tool(effect = "read", ttl = "60s", timeout = "5s")]
async fn find(
    script: &Script,
    /// Whatever.
    query: String,
    /// The limit.
    #[arg(default = 10)]
    limit: u32,
) -> Result<String, ScriptedError> {
    script.act().await.map(|run| format!("{query} \u{e9} {limit}: run {run}"))
}

/// Finds an answer that is shared by all users.
#[ai_tool(effect = "read", ttl = "60s", shared)]
async fn find_shared(script: &Script) -> Result<u32, ScriptedError> {
    script.act().await
}

fn runtime_with(script: &Arc<Script>, policy: Policy) -> Runtime {
    let builder = Runtime::builder().tool::<FindTool>().tool::<FindSharedTool>();
    builder.shared_state(script.clone()).policy(policy).build().expect("the runtime")
}

fn runtime(script: &Arc<Script>) -> Runtime {
    runtime_with(script, Policy::new().rules(ToolPolicy::new().retry(RetryConfig::never())))
}

async fn find_with(runtime: &Runtime, arguments: &str, cx: &ToolContext) -> Value {
    call_with(runtime, "find", arguments, cx).await
}

const TEA: &str = r#"{"query":"tea"}"#;

#[tokio::test(start_paused = true)]
async fn a_repeat_is_served_and_says_so() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    let first = find_with(&runtime, TEA, &jane()).await;
    assert_eq!(first["meta"], json!({ "took_ms": 0, "ttl_seconds": 60 }));
    advance(10_500 * MS).await;
    let mut repeat = runtime.call("find", TEA, &jane());
    let output = repeat.execute().await.clone();
    let again = envelope(&output);
    assert_eq!((&again["data"], &again["input"]), (&first["data"], &first["input"]));
    assert_eq!(output.data_json(), Some("\"tea \u{e9} 10: run 1\""));
    assert_eq!(again["meta"], json!({ "took_ms": 0, "ttl_seconds": 50, "cache_hit": true }));
    assert_eq!((repeat.status(), script.runs()), (CallStatus::Executed, 1));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_good_until_its_time_is_over() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    find_with(&runtime, TEA, &jane()).await;
    advance(59_999 * MS).await;
    assert_eq!(find_with(&runtime, TEA, &jane()).await["meta"]["ttl_seconds"], 1);
    advance(MS).await;
    let found = find_with(&runtime, TEA, &jane()).await;
    assert_eq!((found["meta"].get("cache_hit"), script.runs()), (None, 2));
    assert_eq!(found["meta"]["ttl_seconds"], 60);
}

#[tokio::test(start_paused = true)]
async fn calls_with_equal_arguments_share_an_answer() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    for arguments in [
        TEA,
        r#"{"limit":10,"query":"tea"}"#,
        r#" { "query" : "\u0074ea" } "#,
        r#"{"query":"tea","limit":1e1}"#,
        r#"{"query":"tea","limit":"10"}"#,
    ] {
        let found = find_with(&runtime, arguments, &jane()).await;
        assert_eq!(found["data"], "tea \u{e9} 10: run 1", "{arguments}");
        assert_eq!(found["input"], serde_json::from_str::<Value>(arguments).unwrap());
    }
    assert_eq!(script.runs(), 1);
    for other in [r#"{"query":"Tea"}"#, r#"{"query":"tea","limit":11}"#] {
        find_with(&runtime, other, &jane()).await;
    }
    assert_eq!(script.runs(), 3);
}

#[tokio::test(start_paused = true)]
async fn receipts_are_of_the_call_that_is_served() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    let sloppy = r#"{"query":"tea","limit":"10"}"#;
    let first = find_with(&runtime, sloppy, &jane()).await;
    assert_eq!(first["meta"]["coercions"][0]["pointer"], "/limit");
    let clean = find_with(&runtime, TEA, &jane()).await;
    assert_eq!((&clean["meta"]["cache_hit"], clean["meta"].get("coercions")), (&json!(true), None));
    let again = find_with(&runtime, sloppy, &jane()).await;
    assert_eq!(again["meta"]["cache_hit"], true);
    assert_eq!(again["meta"]["coercions"], first["meta"]["coercions"]);
}

#[tokio::test(start_paused = true)]
async fn edits_are_reported_with_a_cached_answer() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    find_with(&runtime, TEA, &jane()).await;
    let mut changed = runtime.call("find", r#"{"query":"coffee"}"#, &jane());
    changed.approve_edited("boss", TEA).expect("valid arguments");
    let found = envelope(changed.execute().await);
    assert_eq!((&found["meta"]["cache_hit"], script.runs()), (&json!(true), 1));
    assert_eq!(found["meta"]["edits"], json!(["/query"]));
}

#[tokio::test]
async fn an_answer_may_be_good_for_all_time_that_there_is() {
    for ttl in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(u64::MAX / 2)] {
        let tool = DynamicTool::new("stand", Effect::Read)
            .description("Stands.")
            .input_schema(json!({ "type": "object" }))
            .ttl(ttl)
            .sync_handler(|_| Ok::<_, Failure>(1));
        let builder = Runtime::builder().dynamic(tool).policy(Policy::new());
        let runtime = builder.build().expect("the runtime");
        call_with(&runtime, "stand", "{}", &jane()).await;
        let again = call_with(&runtime, "stand", "{}", &jane()).await;
        assert_eq!(again["meta"]["cache_hit"], true, "{ttl:?}: {again}");
    }
}

fn cx(say: impl Fn(ToolContextBuilder) -> ToolContextBuilder) -> ToolContext {
    let builder = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").user_id("jane");
    say(builder).build().expect("the context")
}

fn token(scope: &str) -> serde_json::Map<String, Value> {
    [("scope".to_owned(), json!(scope))].into_iter().collect()
}

#[tokio::test(start_paused = true)]
async fn a_cached_answer_serves_only_calls_with_the_same_caller_and_context() {
    let others = [
        user_context(2, "jane"),
        user_context(1, "joe"),
        cx(|it| it.locale("de-DE")),
        cx(|it| it.currency("EUR")),
        cx(|it| it.timezone("Europe/Berlin")),
        cx(|it| it.site_id("site")),
        cx(|it| it.safety_mode("strict")),
        cx(|it| it.collection_id("c")),
        cx(|it| it.document_id("d")),
        cx(|it| it.document_version_id("v")),
        cx(|it| it.case_id("case")),
        cx(|it| it.workflow_id("onboarding")),
        cx(|it| it.budget_tokens(500)),
        cx(|it| it.client(Client::new(ClientApp::Ios, "4.2.0").unwrap())),
        cx(|it| it.tenant_slug("acme")),
        cx(|it| it.attribute("plan", "gold")),
        cx(|it| it.attribute("plan", "free")),
        cx(|it| it.actor(Actor::new(ActorType::User, "jane").unwrap())),
        cx(|it| it.actor(Actor::new(ActorType::Agent, "jane").unwrap())),
        cx(|it| it.auth(token("full"))),
        cx(|it| it.auth(token("read-only"))),
    ];
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    find_with(&runtime, TEA, &cx(|it| it)).await;
    for (runs, other) in (2..).zip(&others) {
        find_with(&runtime, TEA, other).await;
        assert_eq!(script.runs(), runs, "{other:?}");
        assert_eq!(find_with(&runtime, TEA, other).await["meta"]["cache_hit"], true);
    }
    let same = cx(|it| it.session_id("another").dry_run(false).timeouts_ms(4_000));
    assert_eq!(find_with(&runtime, TEA, &same).await["data"], "tea \u{e9} 10: run 1");
}

#[tokio::test(start_paused = true)]
async fn a_shared_answer_serves_every_user_of_one_tenant() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    let anonymous = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").build().unwrap();
    for cx in [user_context(1, "jane"), user_context(1, "joe"), anonymous] {
        assert_eq!(call_with(&runtime, "find_shared", "{}", &cx).await["data"], 1);
    }
    assert_eq!(call_with(&runtime, "find_shared", "{}", &user_context(2, "jane")).await["data"], 2);
}

#[tokio::test(start_paused = true)]
async fn the_answer_of_a_call_without_a_principal_is_not_cached() {
    let script = Script::quick(Ok);
    let runtime = runtime(&script);
    let anonymous = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").build().unwrap();
    for run in 1..=2 {
        find_with(&runtime, TEA, &anonymous).await;
        assert_eq!(script.runs(), run);
    }
    let actor = |id| {
        let actor = Actor::new(ActorType::System, id).expect("an actor");
        let builder = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r");
        builder.actor(actor).build().expect("the context")
    };
    for (id, runs) in [("a", 3), ("a", 3), ("b", 4)] {
        find_with(&runtime, TEA, &actor(id)).await;
        assert_eq!(script.runs(), runs, "an actor is a principal too");
    }
}

#[tokio::test(start_paused = true)]
async fn errors_and_dry_runs_are_not_kept() {
    let script = Script::quick(|run| match run {
        1 => busy(),
        2 => scripted_error(ErrorCode::NotFound),
        3 => panic!("the tool breaks"),
        _ => Ok(run),
    });
    let runtime = runtime(&script);
    for run in 1..=3 {
        assert_eq!(find_with(&runtime, TEA, &jane()).await["status"], "error");
        assert_eq!(script.runs(), run);
    }
    let dry = jane().with_dry_run(true);
    for run in 4..=5 {
        assert_eq!(find_with(&runtime, TEA, &dry).await["meta"]["dry_run"], true);
        assert_eq!(script.runs(), run);
    }
    find_with(&runtime, TEA, &jane()).await;
    assert_eq!(script.runs(), 6, "a dry run's answer is not served");
    find_with(&runtime, TEA, &dry).await;
    assert_eq!(script.runs(), 7, "and none is served to a dry run");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_its_schema_is_not_kept() {
    let runs = Arc::<AtomicU32>::default();
    let counted = runs.clone();
    let broken = DynamicTool::new("broken", Effect::Read)
        .description("Answers a text where a number belongs, at first.")
        .input_schema(json!({ "type": "object", "additionalProperties": false }))
        .output_schema(json!({ "type": "integer" }))
        .ttl(A_MINUTE)
        .sync_handler(move |_| {
            let run = counted.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Failure>(if run == 0 { json!("one") } else { json!(run) })
        });
    let runtime = Runtime::builder().dynamic(broken).build().unwrap();
    let broken = call_with(&runtime, "broken", "{}", &jane()).await;
    assert_eq!(broken["error"]["code"], "INVALID_OUTPUT");
    for _ in 0..2 {
        assert_eq!(call_with(&runtime, "broken", "{}", &jane()).await["data"], 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_part_of_the_cache_key_and_is_never_shown() {
    /// Opens.
    #[ai_tool(effect = "read", ttl = "60s")]
    async fn open(
        script: &Script,
        /// The password.
        #[arg(secret)]
        password: String,
    ) -> Result<u32, ScriptedError> {
        let _ = password;
        script.act().await
    }
    let script = Script::quick(Ok);
    let runtime =
        Runtime::builder().tool::<OpenTool>().shared_state(script.clone()).build().unwrap();
    for (password, run) in [("hunter2", 1), ("hunter2", 1), ("hunter3", 2)] {
        let arguments = json!({ "password": password }).to_string();
        let found = call_with(&runtime, "open", &arguments, &jane()).await;
        assert_eq!((&found["data"], &found["input"]["password"]), (&json!(run), &json!("***")));
    }
    assert!(!format!("{runtime:?}").contains("hunter"));
}

#[tokio::test(start_paused = true)]
async fn a_cached_answer_has_the_meta_of_the_first_call() {
    /// Says where it looked.
    #[ai_tool(effect = "read", ttl = "60s")]
    async fn source(meta: &MetaRecorder) -> u32 {
        meta.source_count("catalogue", 3);
        meta.warning("the catalogue is of yesterday");
        1
    }
    let runtime = Runtime::builder().tool::<SourceTool>().build().unwrap();
    let first = call_with(&runtime, "source", "{}", &jane()).await;
    let again = call_with(&runtime, "source", "{}", &jane()).await;
    assert_eq!(again["meta"]["cache_hit"], true);
    for part in ["source_counts", "warnings"] {
        assert!(!first["meta"][part].is_null());
        assert_eq!(again["meta"][part], first["meta"][part]);
    }
}

/// Runs for a while, then does as it is told.
fn slow(act: impl Fn(u32) -> super::script::ScriptedResult + Send + Sync + 'static) -> Arc<Script> {
    let act = Arc::new(act);
    Script::new(move |run| {
        let act = act.clone();
        async move {
            sleep(1_000 * MS).await;
            act(run)
        }
    })
}

#[tokio::test(start_paused = true)]
async fn equal_calls_at_once_run_once() {
    let script = slow(Ok);
    let runtime = runtime(&script);
    let cx = jane();
    let before = Instant::now();
    let found = join_all((0..100).map(|_| find_with(&runtime, TEA, &cx))).await;
    assert_eq!((script.runs(), before.elapsed()), (1, 1_000 * MS));
    for found in &found {
        assert_eq!(found["data"], "tea \u{e9} 10: run 1", "{found}");
    }
    let hits = found.iter().filter(|found| found["meta"]["cache_hit"] == true).count();
    assert_eq!(hits, 99);
}

#[tokio::test(start_paused = true)]
async fn different_calls_do_not_wait_for_each_other() {
    let script = slow(Ok);
    let runtime = runtime(&script);
    let before = Instant::now();
    let (jane, joe) = (jane(), user_context(1, "joe"));
    futures::join!(
        find_with(&runtime, TEA, &jane),
        find_with(&runtime, TEA, &joe),
        find_with(&runtime, r#"{"query":"milk"}"#, &jane),
    );
    assert_eq!((script.runs(), before.elapsed()), (3, 1_000 * MS));
}

#[tokio::test(start_paused = true)]
async fn the_next_one_runs_when_the_first_one_fails() {
    let failing = slow(|run| if run == 1 { scripted_error(ErrorCode::NotFound) } else { Ok(run) });
    let panicking = slow(|run| if run == 1 { panic!("the tool breaks") } else { Ok(run) });
    for (script, code) in [(failing, "NOT_FOUND"), (panicking, "INTERNAL")] {
        let runtime = runtime(&script);
        let cx = jane();
        let found = join_all((0..10).map(|_| find_with(&runtime, TEA, &cx))).await;
        assert_eq!(found[0]["error"]["code"], code, "it is the first one's own");
        assert!(
            found[1..].iter().all(|found| found["data"] == "tea \u{e9} 10: run 2"),
            "{found:?}"
        );
        assert_eq!(script.runs(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_one_runs_when_the_first_one_runs_out_of_time() {
    let script = Script::new(|run| async move {
        if run == 1 {
            pending::<()>().await;
        }
        Ok(run)
    });
    let runtime = runtime(&script);
    let hasty = cx(|it| it.timeouts_ms(100));
    let patient = cx(|it| it);
    let found = futures::join!(
        find_with(&runtime, TEA, &hasty),
        find_with(&runtime, TEA, &patient),
        find_with(&runtime, TEA, &patient)
    );
    assert_eq!(found.0["error"]["code"], "TIMEOUT");
    assert_eq!(
        (&found.1["data"], found.2["data"].as_str()),
        (&found.2["data"], Some("tea \u{e9} 10: run 2"))
    );
}

#[tokio::test(start_paused = true)]
async fn the_next_one_runs_when_the_first_one_is_dropped_or_cancelled() {
    for dropped in [true, false] {
        let script = Script::new(|run| async move {
            if run == 1 {
                pending::<()>().await;
            }
            Ok(run)
        });
        let runtime = runtime(&script);
        let mut first = runtime.call("find", TEA, &jane());
        let cancellation = first.cancellation().unwrap();
        let mut first = Box::pin(first.execute());
        assert!(futures::poll!(&mut first).is_pending());
        let cx = jane();
        let mut followers = Box::pin(join_all((0..5).map(|_| find_with(&runtime, TEA, &cx))));
        assert!(futures::poll!(&mut followers).is_pending());
        let found = if dropped {
            drop(first);
            followers.await
        } else {
            cancellation.cancel();
            futures::join!(first, followers).1
        };
        assert!(found.iter().all(|found| found["data"] == "tea \u{e9} 10: run 2"), "{found:?}");
        assert_eq!(script.runs(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn followers_that_go_away_leave_the_others_alone() {
    let script = slow(Ok);
    let runtime = runtime(&script);
    let cx = jane();
    let mut first = Box::pin(find_with(&runtime, TEA, &cx));
    assert!(futures::poll!(&mut first).is_pending());
    let mut patient = Box::pin(find_with(&runtime, TEA, &cx));
    for _ in 0..3 {
        assert!(find_with(&runtime, TEA, &cx).now_or_never().is_none());
        assert!(futures::poll!(&mut patient).is_pending());
    }
    let (first, patient) = futures::join!(first, patient);
    assert_eq!((&first["data"], script.runs()), (&patient["data"], 1));
}

#[tokio::test(start_paused = true)]
async fn a_followers_own_deadline_and_cancellation_hold() {
    let script = slow(Ok);
    let runtime = runtime(&script);
    let (patient, hasty) = (cx(|it| it), cx(|it| it.timeouts_ms(300)));
    let mut cancelled = runtime.call("find", TEA, &patient);
    let cancellation = cancelled.cancellation().unwrap();
    let before = Instant::now();
    let first = async { find_with(&runtime, TEA, &patient).await };
    let late = async { (find_with(&runtime, TEA, &hasty).await, before.elapsed()) };
    let stopped = async { (envelope(cancelled.execute().await), before.elapsed()) };
    let stop = async {
        settle().await;
        sleep(100 * MS).await;
        cancellation.cancel();
    };
    let (first, late, stopped, ()) = futures::join!(first, late, stopped, stop);
    assert_eq!(first["status"], "ok");
    assert_eq!((late.0["error"]["code"].as_str(), late.1), (Some("TIMEOUT"), 300 * MS));
    assert_eq!((stopped.0["error"]["code"].as_str(), stopped.1), (Some("CANCELLED"), 100 * MS));
    for found in [late.0, stopped.0] {
        assert_eq!(found["error"]["details"]["effect"], "none");
    }
    assert_eq!(script.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_cache_is_bounded() {
    /// Answers at length.
    #[ai_tool(effect = "read", ttl = "60s")]
    async fn long(
        runs: &AtomicU32,
        /// The id.
        n: u32,
    ) -> String {
        runs.fetch_add(1, Ordering::SeqCst);
        n.to_string().repeat(10_000)
    }
    async fn reruns(bytes: u64) -> u32 {
        let runs = Arc::<AtomicU32>::default();
        let runtime = Runtime::builder().tool::<LongTool>().shared_state(runs.clone());
        let runtime = runtime.policy(Policy::new().cache_bytes(bytes)).build().unwrap();
        for n in (10..90).chain(10..90) {
            let arguments = json!({ "n": n }).to_string();
            assert_eq!(call_with(&runtime, "long", &arguments, &jane()).await["status"], "ok");
        }
        runs.load(Ordering::SeqCst) - 80
    }
    // Eighty answers of 20 kB each are 1.6 MB.
    assert_eq!(reruns(16 << 20).await, 0);
    assert!(reruns(400_000).await >= 60, "no more than twenty are kept");
    assert_eq!(reruns(0).await, 80, "nothing is kept");
}
