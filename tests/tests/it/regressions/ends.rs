//! Calls that end with an error on the way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, Observe};

use crate::support::{answer, cx, envelope};

/// Writes on a blocking thread.
#[ai_tool(effect = "write", blocking, timeout = "30ms")]
fn writes_blocking(dry_run: &DryRun, runs: &AtomicU32) {
    let _ = dry_run;
    runs.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_blocking_write_does_not_start_after_its_call_was_answered() {
    let runs = Arc::new(AtomicU32::new(0));
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, waiting) = std::sync::mpsc::channel::<()>();
    executor.block_on(async {
        let occupier = tokio::task::spawn_blocking(move || waiting.recv());
        let runtime = Runtime::builder()
            .tool::<WritesBlockingTool>()
            .permission("writes_blocking", Permission::Allow)
            .shared_state(runs.clone())
            .build()
            .unwrap();
        let found = answer(&runtime, "writes_blocking", "{}").await;
        assert_eq!(found["error"]["code"], "TIMEOUT");
        assert_eq!(found["error"]["details"]["effect"], "none", "it had not begun");
        free.send(()).unwrap();
        occupier.await.unwrap().unwrap();
        // The pool reaches the job now: its only thread runs its jobs in order.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    });
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_tool_that_is_always_ready_meets_its_deadline() {
    /// Spends its executor's patience.
    #[ai_tool(effect = "read", timeout = "50ms")]
    async fn spins() {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) {
            tokio::task::consume_budget().await;
        }
    }
    let runtime = Runtime::builder().tool::<SpinsTool>().build().unwrap();
    let found = answer(&runtime, "spins", "{}").await;
    assert_eq!(found["error"]["code"], "TIMEOUT");
    assert!(found["meta"]["took_ms"].as_u64().unwrap() < 10_000, "{found}");
}

#[tokio::test]
async fn a_listener_that_holds_its_call_does_not_keep_it_alive() {
    /// Reports.
    #[ai_tool(effect = "read")]
    async fn reports(progress: &Progress) {
        progress.report(None, "on it");
    }
    let token = Arc::new(());
    let runtime = Runtime::builder().tool::<ReportsTool>().build().unwrap();
    for run in [true, false] {
        let mut call = runtime.call("reports", "{}", &cx());
        let (cancellation, held) = (call.cancellation().unwrap(), token.clone());
        call.on_progress(move |_| {
            let _ = (&cancellation, &held);
        });
        if run {
            call.execute().await;
        }
        drop(call);
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<String>>>);

impl Observe for Logs {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.log().to_owned());
    }
}

#[tokio::test]
async fn the_log_hears_every_cause() {
    #[derive(Debug)]
    struct OnlyDebug;
    /// Fails with a boxed error.
    #[ai_tool(effect = "read")]
    async fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Err("outer text".into())
    }
    /// Fails with what only its author can read.
    #[ai_tool(effect = "read")]
    async fn debugged() -> Result<(), OnlyDebug> {
        Err(OnlyDebug)
    }
    /// Takes an id.
    #[ai_tool(effect = "read")]
    async fn by_id(
        /// The id.
        id: Uuid,
    ) -> Uuid {
        id
    }
    let dynamic = DynamicTool::new("dynamic", Effect::Read)
        .description("Fails.")
        .input_schema(json!({ "type": "object" }))
        .sync_handler(|_| {
            Err::<(), _>(Failure::from_code(ErrorCode::UpstreamError).with_log("for the log"))
        });
    let logs = Logs::default();
    let runtime = Runtime::builder()
        .tool::<BoxedTool>()
        .tool::<DebuggedTool>()
        .tool::<ByIdTool>()
        .dynamic(dynamic)
        .observe(logs.clone())
        .build()
        .unwrap();
    for (name, arguments) in
        [("boxed", "{}"), ("debugged", "{}"), ("dynamic", "{}"), ("by_id", r#"{"id":"no"}"#)]
    {
        let found = answer(&runtime, name, arguments).await;
        assert_eq!(found["status"], "error");
        assert!(!found.to_string().contains("for the log"));
    }
    let logs = logs.0.lock().unwrap();
    assert_eq!((&*logs[0], &*logs[1], &*logs[2]), ("outer text", "OnlyDebug", "for the log"));
    assert!(logs[3].contains("UUID parsing failed"), "{}", logs[3]);
}

#[tokio::test(start_paused = true)]
async fn a_batch_shares_the_contexts_budget() {
    /// Takes its time.
    #[ai_tool(effect = "write")]
    async fn slow(dry_run: &DryRun, runs: &AtomicU32) {
        let _ = dry_run;
        runs.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder()
        .tool::<SlowTool>()
        .permission("slow", Permission::Allow)
        .shared_state(runs.clone())
        .build()
        .unwrap();
    let hurried =
        ToolContext::builder(Uuid::nil(), "t").run_id("r").timeouts_ms(1_000).build().unwrap();
    let mut calls: Vec<_> = (0..5).map(|_| runtime.call("slow", "{}", &hurried)).collect();
    let before = tokio::time::Instant::now();
    let outputs = runtime.execute_all(&mut calls).await;
    let ends: Vec<_> = outputs.into_iter().map(ToolOutput::is_ok).collect();
    assert_eq!(ends, [true, true, false, false, false]);
    assert_eq!(before.elapsed(), Duration::from_secs(1));
    assert_eq!(runs.load(Ordering::SeqCst), 3, "the last two never began");
}

#[tokio::test]
async fn a_write_that_panics_reports_an_unknown_effect() {
    /// Panics half way.
    #[ai_tool(effect = "write")]
    async fn breaks(dry_run: &DryRun) {
        assert!(dry_run.is_active(), "hunter2");
    }
    let runtime = Runtime::builder()
        .tool::<BreaksTool>()
        .permission("breaks", Permission::Allow)
        .build()
        .unwrap();
    let found = answer(&runtime, "breaks", "{}").await;
    assert_eq!(found["error"]["code"], "INTERNAL");
    assert_eq!(found["error"]["details"]["effect"], "unknown");
}

#[test]
fn a_write_does_not_begin_where_no_deadline_can_be_kept() {
    /// Counts its runs.
    #[ai_tool(effect = "write")]
    async fn counts(dry_run: &DryRun, runs: &AtomicU32) {
        let _ = dry_run;
        runs.fetch_add(1, Ordering::SeqCst);
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder()
        .tool::<CountsTool>()
        .permission("counts", Permission::Allow)
        .shared_state(runs.clone())
        .build()
        .unwrap();
    let mut call = runtime.call("counts", "{}", &cx());
    let found = envelope(futures::executor::block_on(call.execute()));
    assert_eq!(found["error"]["code"], "UNAVAILABLE");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}
