//! Tools that exceed their deadline: the caller is answered, and late results are dropped.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{Instant, advance, sleep};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyRecord, KeyState, MemoryStore};
use tool_runtime::{CallRecord, Observe, RuntimeBuilder};

const TIMEOUT: Duration = Duration::from_secs(2);
/// The most time between a call's deadline and its answer.
const SOON: Duration = Duration::from_millis(50);
/// The answer of a tool that ends too late.
const LATE: &str = "hunter2";

/// Records the runs of the tools, and blocks one of them.
#[derive(Default)]
struct RunLog {
    done: Mutex<Vec<&'static str>>,
    held_up: Mutex<Option<Receiver<()>>>,
}

impl RunLog {
    fn note(&self, what: &'static str) {
        self.done.lock().unwrap().push(what);
    }

    fn done(&self) -> Vec<&'static str> {
        self.done.lock().unwrap().clone()
    }

    /// Waits until a tool did something.
    async fn comes_to(&self, what: &'static str) {
        while !self.done().contains(&what) {
            yield_now().await;
        }
    }

    /// Blocks the blocking tool until the sender is dropped.
    fn hold_up(&self) -> Sender<()> {
        let (sender, receiver) = channel();
        *self.held_up.lock().unwrap() = Some(receiver);
        sender
    }
}

/// Goes on elsewhere, whether it was cancelled or not.
#[ai_tool(effect = "write", preview = nothing, timeout = "2s")]
async fn ignore(run_log: &Arc<RunLog>, meta: &MetaRecorder) -> String {
    let (run_log, meta) = (run_log.clone(), meta.clone());
    let late = tokio::spawn(async move {
        sleep(2 * TIMEOUT).await;
        meta.warning(LATE);
        run_log.note("ended");
        LATE.to_owned()
    });
    late.await.unwrap_or_default()
}

/// Tidies up for long once it is cancelled.
#[ai_tool(effect = "write", preview = nothing_yet, timeout = "2s")]
async fn tidy(run_log: &Arc<RunLog>, meta: &MetaRecorder, cancellation: &Cancellation) -> String {
    cancellation.cancelled().await;
    meta.warning(LATE);
    run_log.note("cancelled");
    sleep(2 * TIMEOUT).await;
    run_log.note("tidied");
    LATE.to_owned()
}

/// Answers as soon as it is cancelled.
#[ai_tool(effect = "write", preview = nothing_yet, timeout = "2s")]
async fn hurry(run_log: &Arc<RunLog>, meta: &MetaRecorder, cancellation: &Cancellation) -> String {
    cancellation.cancelled().await;
    meta.warning(LATE);
    run_log.note("ended");
    LATE.to_owned()
}

/// Blocks its thread until it is let go.
#[ai_tool(effect = "write", preview = nothing_here, blocking, timeout = "2s")]
fn block(run_log: &Arc<RunLog>, meta: &MetaRecorder) -> String {
    let held_up = run_log.held_up.lock().unwrap().take();
    run_log.note("begun");
    if let Some(held_up) = held_up {
        let _ = held_up.recv();
    }
    meta.warning(LATE);
    run_log.note("ended");
    LATE.to_owned()
}

async fn nothing(_: &Arc<RunLog>, _: &MetaRecorder) {}

async fn nothing_yet(_: &Arc<RunLog>, _: &MetaRecorder, _: &Cancellation) {}

fn nothing_here(_: &Arc<RunLog>, _: &MetaRecorder) {}

/// Keeps every closed call's text.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<String>>>);

impl Observe for Record {
    fn call_ended(&self, record: &CallRecord<'_>) {
        let text = format!("{} {}", record.output().json(), record.log());
        self.0.lock().unwrap().push(text);
    }
}

fn cx() -> ToolContext {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
    cx.idempotency_key("k").build().expect("the context")
}

struct TimeoutSetup {
    run_log: Arc<RunLog>,
    record: Record,
    runtime: Runtime,
}

impl TimeoutSetup {
    fn new() -> Self {
        let (run_log, record) = (Arc::<RunLog>::default(), Record::default());
        let builder =
            Runtime::builder().tool::<IgnoreTool>().tool::<TidyTool>().tool::<HurryTool>();
        let allow = |builder: RuntimeBuilder, tool| builder.permission(tool, Permission::Allow);
        let builder = ["ignore", "tidy", "hurry", "block"].into_iter().fold(builder, allow);
        let builder = builder.tool::<BlockTool>().state(run_log.clone()).observe(record.clone());
        let runtime = builder.store(MemoryStore::new()).build().expect("the runtime");
        Self { run_log, record, runtime }
    }

    async fn call(&self, tool: &str) -> ToolOutput {
        let mut call = self.runtime.call(tool, "{}", &cx());
        call.execute().await.clone()
    }

    /// Calls a tool that is late, and sees that it is answered in time.
    async fn call_late(&self, name: &str) {
        let start = Instant::now();
        let output = self.call(name).await;
        let took = start.elapsed();
        assert!((TIMEOUT..=TIMEOUT + SOON).contains(&took), "{name}: {took:?}");
        let error = output.error().expect("it is late");
        let effect = error.details().and_then(|details| details.get("effect"));
        assert_eq!((error.code(), effect), (Some("TIMEOUT"), Some(&"unknown".into())), "{name}");
    }

    /// Returns the unknown outcomes; that of a blocking tool is listed after its thread has ended.
    async fn unknown(&self) -> Vec<KeyRecord> {
        for _ in 0..1_000_000 {
            let unknown =
                self.runtime.outcomes().unknown(Uuid::nil(), None, 10).await.expect("a list");
            if !unknown.is_empty() {
                return unknown;
            }
            tokio::task::yield_now().await;
        }
        Vec::new()
    }

    /// Checks that the late answer is neither delivered nor stored under the key.
    async fn check_lost(&self, tool: &str) {
        let unknown = self.unknown().await;
        let [record] = &unknown[..] else { panic!("{tool}: {unknown:?}") };
        assert_eq!((&*record.key.tool, &record.state), (tool, &KeyState::Unknown));
        let repeat = self.call(tool).await;
        let error = repeat.error().expect("the outcome is unknown");
        assert_eq!(error.code(), Some("NEEDS_USER_CONFIRMATION"), "{tool}: {repeat}");
        let texts = self.record.0.lock().unwrap();
        assert!(texts.len() == 2 && !texts.concat().contains(LATE), "{tool}: {texts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_its_cancellation_is_not_waited_for_and_not_heard() {
    let setup = TimeoutSetup::new();
    setup.call_late("ignore").await;
    sleep(4 * TIMEOUT).await;
    assert_eq!(setup.run_log.done(), ["ended"], "its late end has come");
    setup.check_lost("ignore").await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_tidies_up_for_long_is_not_waited_for() {
    let setup = TimeoutSetup::new();
    setup.call_late("tidy").await;
    assert_eq!(setup.run_log.done(), ["cancelled"], "it hears of it");
    sleep(4 * TIMEOUT).await;
    assert_eq!(setup.run_log.done(), ["cancelled"], "then it is dropped");
    setup.check_lost("tidy").await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_answers_just_when_it_is_cancelled_is_not_heard() {
    let setup = TimeoutSetup::new();
    setup.call_late("hurry").await;
    assert_eq!(setup.run_log.done(), ["ended"]);
    setup.check_lost("hurry").await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_answers_just_when_its_host_cancels_it_is_not_heard() {
    let setup = TimeoutSetup::new();
    let mut call = setup.runtime.call("hurry", "{}", &cx());
    let cancellation = call.cancellation().expect("the tool is known");
    let (output, ()) = futures::join!(call.execute(), async {
        sleep(TIMEOUT / 2).await;
        cancellation.cancel();
    });
    assert_eq!(output.error().and_then(|error| error.code()), Some("CANCELLED"), "{output}");
    assert_eq!(setup.run_log.done(), ["ended"]);
    setup.check_lost("hurry").await;
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_blocks_is_not_waited_for_and_not_heard() {
    let setup = TimeoutSetup::new();
    let hold_up = setup.run_log.hold_up();
    // The paused clock does not advance while a thread blocks.
    futures::join!(setup.call_late("block"), async {
        setup.run_log.comes_to("begun").await;
        advance(TIMEOUT).await;
    });
    drop(hold_up);
    setup.run_log.comes_to("ended").await;
    setup.check_lost("block").await;
}
