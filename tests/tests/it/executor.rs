//! The core needs no particular executor: a host supplies the clock, timers and threads.

use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use futures::executor::block_on;
use tool_runtime::prelude::*;
use tool_runtime::{Job, Sleep, Timer, ToolCall};

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
