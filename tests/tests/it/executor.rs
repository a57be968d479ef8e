//! The core needs no particular executor: a host supplies the clock, timers and threads.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use futures::executor::block_on;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, Job, Sleep, Timer, ToolCall};

use crate::support::{cx, envelope};

/// Threads and nothing else.
#[derive(Debug)]
struct Threads;

impl Timer for Threads {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let (wake, woken) = oneshot::channel::<()>();
        thread::spawn(move || {
            thread::park_timeout(duration);
            drop(wake);
        });
        Box::pin(async move {
            // The other half is only ever dropped, which wakes this one.
            let _ = woken.await;
        })
    }

    fn spawn_blocking(&self, job: Job) {
        thread::spawn(job);
    }
}

/// Waits for ever.
#[ai_tool(effect = "read", timeout = "20ms")]
async fn endless() {
    std::future::pending::<()>().await;
}

/// Names its thread.
#[ai_tool(effect = "read", blocking)]
fn elsewhere(
    /// Any text.
    text: &str,
) -> String {
    format!("{text} {:?}", thread::current().id())
}

#[test]
fn deadlines_and_blocking_tools_work_on_another_executor() {
    let runtime = Runtime::builder().tool::<EndlessTool>().tool::<ElsewhereTool>().timer(Threads);
    let runtime = runtime.build().unwrap();
    let mut late = runtime.call("endless", "{}", &cx());
    assert_eq!(envelope(block_on(late.execute()))["error"]["code"], "TIMEOUT");

    let mut away = runtime.call("elsewhere", r#"{"text":"on"}"#, &cx());
    let data = envelope(block_on(away.execute()))["data"].to_string();
    let here = format!("{:?}", thread::current().id());
    assert!(data.contains("ThreadId") && !data.contains(&here), "{data} is not {here}");
}

#[test]
fn without_an_executor_a_call_is_answered_all_the_same() {
    let runtime = Runtime::builder().tool::<EndlessTool>().build().unwrap();
    let mut call = runtime.call("endless", "{}", &cx());
    // tokio's timer fails outside a tokio runtime.
    assert_eq!(envelope(block_on(call.execute()))["error"]["code"], "INTERNAL");
}

static WRITES: AtomicU32 = AtomicU32::new(0);

/// Counts its runs, and waits afterwards.
#[ai_tool(effect = "write", idempotent)]
async fn write_and_wait(dry_run: &DryRun) -> u32 {
    let before = WRITES.load(Ordering::SeqCst);
    if dry_run.is_active() {
        return before;
    }
    WRITES.fetch_add(1, Ordering::SeqCst);
    tokio::task::yield_now().await;
    before + 1
}

/// Waits a moment, by tokio's timer.
#[ai_tool(effect = "read")]
async fn nap() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[test]
fn a_write_on_a_tokio_runtime_without_time_has_no_effect() {
    let builder = Runtime::builder().tool::<WriteAndWaitTool>();
    let runtime = builder.permission("write_and_wait", Permission::Allow).build().unwrap();
    let mut call = runtime.call("write_and_wait", "{}", &cx());
    let timeless = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answer = envelope(timeless.block_on(call.execute()));
    assert_eq!(answer["error"]["code"], "UNAVAILABLE", "{answer}");
    assert_eq!(answer["error"]["details"]["effect"], "none");
    assert_eq!(WRITES.load(Ordering::SeqCst), 0);

    let timed = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut call = runtime.call("write_and_wait", "{}", &cx());
    assert!(timed.block_on(call.execute()).is_ok());
    assert_eq!(WRITES.load(Ordering::SeqCst), 1);
}

#[test]
fn the_log_of_a_read_that_panics_outside_of_tokio_names_the_cause() {
    let (logs, log) = std::sync::mpsc::channel();
    let runtime = Runtime::builder().tool::<NapTool>().observe(move |record: &CallRecord<'_>| {
        logs.send(record.log().to_owned()).unwrap();
    });
    let mut call = runtime.build().unwrap().call("nap", "{}", &cx());
    assert_eq!(envelope(block_on(call.execute()))["error"]["code"], "INTERNAL");
    let log = log.recv().unwrap();
    assert!(log.contains("is this thread inside a tokio runtime with time enabled?"), "{log}");
}

#[test]
fn calls_can_be_held_and_awaited_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    fn is_sync<T: Sync>(_: &T) {}
    let runtime = Runtime::builder().tool::<EndlessTool>().build().unwrap();
    let mut calls: Vec<ToolCall> = vec![runtime.call("endless", "{}", &cx())];
    is_sync(&calls[0]);
    is_send(&calls[0].execute());
    is_send(&runtime.execute_all(&mut calls));
}
