//! The line that each call leaves in the log.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};
use tool_runtime::prelude::*;
use tool_runtime::trace::JsonLog;

use super::{SECRET, builder, request, runtime, traced, what};
use crate::support::{Paper, cx, subscribe};

/// Writes the events of this thread as the usual JSON formatter does.
fn subscribed(paper: &Paper) -> tracing::subscriber::DefaultGuard {
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(paper.clone())
        .finish();
    subscribe(subscriber)
}

/// Checks and removes a line's time and latency.
#[track_caller]
fn timeless(mut line: Value) -> Value {
    let fields = line.as_object_mut().expect("an object");
    let time = fields.remove("timestamp").expect("a time");
    let time = time.as_str().expect("text");
    assert!(time.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
    assert!(fields.remove("latency_ms").is_some_and(|latency| latency.is_u64()));
    line
}

fn success() -> Value {
    json!({
        "event": "tool_call_success",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "run_id": "run-1",
        "tool_name": "look",
        "tenant_id": "00000000-0000-0000-0000-000000000000",
        "site_id": "site-1",
        "call_id": "call-7",
    })
}

fn failure() -> Value {
    json!({
        "event": "tool_call_error",
        "trace_id": "trace-1",
        "run_id": "run-1",
        "tool_name": "look",
        "tenant_id": "00000000-0000-0000-0000-000000000000",
        "error_type": "FATAL",
        "error_code": "INTERNAL",
    })
}

fn with(mut line: Value, fields: Value) -> Value {
    let (line_fields, Value::Object(fields)) = (line.as_object_mut(), fields) else {
        panic!("fields")
    };
    line_fields.expect("an object").extend(fields);
    line
}

async fn succeed_and_panic(runtime: &Runtime) {
    let request = request("call-7", what("tea"));
    runtime.call_request(&request, &traced()).execute().await;
    runtime.call("look", what("panic"), &cx()).execute().await;
}

#[tokio::test]
async fn a_subscriber_gets_one_flat_event_a_call() {
    let paper = Paper::default();
    let _here = subscribed(&paper);
    succeed_and_panic(&runtime(&Arc::default())).await;

    let (calls, details): (Vec<_>, Vec<_>) =
        paper.lines().into_iter().partition(|line| line["target"] == "tool_runtime");
    assert_eq!(calls.len(), 2);
    let own = |level| json!({"level": level, "target": "tool_runtime"});
    assert_eq!(timeless(calls[0].clone()), with(success(), own("INFO")));
    assert_eq!(timeless(calls[1].clone()), with(failure(), own("WARN")));
    // No field is repeated in a line.
    assert_eq!(paper.text().matches("\"timestamp\"").count(), calls.len() + details.len());

    // The detail for logs is a separate event.
    assert_eq!(details.len(), 1);
    assert_eq!(details[0]["target"], "tool_runtime::detail");
    assert_eq!(details[0]["detail"], format!("panicked: {SECRET}"));
}

#[tokio::test]
async fn a_json_log_has_one_line_a_call() {
    let (paper, tool_runs) = (Paper::default(), Arc::default());
    let log = JsonLog::new(paper.clone()).expect("a thread");
    let runtime = builder(&tool_runs).without_tracing().observe(log.clone()).build();
    succeed_and_panic(&runtime.expect("the runtime")).await;
    log.flush();
    let lines: Vec<_> = paper.lines().into_iter().map(timeless).collect();
    let detail = json!({"detail": format!("panicked: {SECRET}")});
    assert_eq!(lines, [success(), with(failure(), detail)]);
}

#[tokio::test]
async fn a_refusal_has_a_line_and_no_latency() {
    let (paper, tool_runs) = (Paper::default(), Arc::default());
    let log = JsonLog::new(paper.clone()).expect("a thread");
    let runtime = builder(&tool_runs).observe(log.clone()).build().expect("the runtime");
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").ingestion_run_id("upload-1");
    let cx = cx.dry_run(true).build().expect("the context");
    runtime.call("lok", "{}", &cx).execute().await;
    runtime.call("not a \"name\"", "{}", &cx).execute().await;
    log.flush();
    let lines = paper.lines();
    assert_eq!((&lines[0]["tool_name"], &lines[1]["tool_name"]), (&json!("lok"), &json!("_OTHER")));
    assert_eq!(lines[0]["latency_ms"], 0);
    assert_eq!(
        (&lines[0]["run_id"], &lines[0]["ingestion_run_id"]),
        (&Value::Null, &json!("upload-1"))
    );
    assert_eq!(
        (&lines[0]["error_code"], &lines[0]["dry_run"]),
        (&json!("NOT_FOUND"), &json!(true))
    );
}

/// Signals that it begins to write, and then waits for permission.
struct Slow {
    begun: Sender<()>,
    leave: Receiver<()>,
    paper: Paper,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.begun.send(());
        // Without a sender it continues.
        let _ = self.leave.recv();
        self.paper.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_slow_writer_blocks_no_call_and_dropped_lines_are_counted() {
    let (paper, tool_runs) = (Paper::default(), Arc::default());
    let ((begun, begins), (leave, waits)) = (channel(), channel());
    let slow = Slow { begun, leave: waits, paper: paper.clone() };
    let log = JsonLog::with_capacity(slow, 2).expect("a thread");
    let runtime = builder(&tool_runs).observe(log.clone()).build().expect("the runtime");
    runtime.call("look", what("tea"), &cx()).execute().await;
    begins.recv().expect("the writer has the first line");
    // Two lines are queued, three are dropped; no call waits for the writer.
    for _ in 0..5 {
        runtime.call("look", what("tea"), &cx()).execute().await;
    }
    assert_eq!(log.dropped(), 3);
    drop(leave);
    log.flush();

    let lines = paper.lines();
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    let (success, lost) = ("tool_call_success", "log_lines_dropped");
    assert_eq!(events, [success, success, success, lost]);
    assert_eq!(lines[3]["count"], 3);
}

/// Fails, or panics, until the test repairs it.
struct Broken(Paper, u32);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        match self.1 {
            1 => Err(io::Error::other("the disk is full")),
            2 => panic!("the disk is gone"),
            _ => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_line_that_cannot_be_written_is_counted_too() {
    let (paper, tool_runs) = (Paper::default(), Arc::default());
    let log = JsonLog::new(Broken(paper.clone(), 0)).expect("a thread");
    let runtime = builder(&tool_runs).observe(log.clone()).build().expect("the runtime");
    // The first line fails, then the line about it panics, then both work.
    for _ in 0..2 {
        runtime.call("look", what("tea"), &cx()).execute().await;
        log.flush();
    }
    let lines = paper.lines();
    assert!(lines.iter().any(|line| line["event"] == "log_lines_dropped" && line["count"] == 1));
    assert!(lines.iter().any(|line| line["event"] == "tool_call_success"));
    assert_eq!(log.dropped(), 1);
}
