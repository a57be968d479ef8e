//! Batches of calls: the order of writes, and calls that run at the same time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::prelude::*;

use crate::support::cx;

/// Notes when calls start and end.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }
}

/// Reads for a while.
#[ai_tool(effect = "read")]
async fn look(
    notes: &Notes,
    /// The id.
    n: u64,
) -> u64 {
    notes.note(format!("{n} starts"));
    // The later ones are quicker, so that they end in another order.
    tokio::time::sleep(Duration::from_millis(100 - n)).await;
    notes.note(format!("{n} ends"));
    n
}

/// Writes for a while.
#[ai_tool(effect = "write")]
async fn put(
    notes: &Notes,
    dry_run: &DryRun,
    /// The id.
    n: u64,
) -> u64 {
    let _ = dry_run;
    notes.note(format!("{n} starts"));
    tokio::time::sleep(Duration::from_millis(10)).await;
    notes.note(format!("{n} ends"));
    n
}

fn batch_runtime(notes: &Notes, max_concurrent: usize) -> Runtime {
    Runtime::builder()
        .tool::<LookTool>()
        .tool::<PutTool>()
        .permission("put", Permission::Allow)
        .state(notes.clone())
        .max_concurrent_tools(max_concurrent)
        .build()
        .unwrap()
}

fn request(id: &str, name: &str, n: u64) -> ToolCallRequest {
    let arguments = serde_json::value::to_raw_value(&json!({ "n": n })).unwrap();
    ToolCallRequest::new(id, name, arguments)
}

#[tokio::test(start_paused = true)]
async fn a_batch_keeps_the_order_and_each_write_is_a_barrier() {
    let notes = Notes::default();
    let runtime = batch_runtime(&notes, 5);
    let requests = [
        request("a", "look", 1),
        request("b", "look", 2),
        request("c", "put", 3),
        request("d", "nothing", 4),
        request("e", "look", 5),
        request("f", "look", 6),
    ];
    let mut calls = runtime.call_all(&requests, &cx());
    let data: Vec<_> = runtime
        .execute_all(&mut calls)
        .await
        .into_iter()
        .map(|output| output.data_json())
        .collect();
    assert_eq!(data, [Some("1"), Some("2"), Some("3"), None, Some("5"), Some("6")]);
    let ids: Vec<_> = calls.iter().filter_map(ToolCall::call_id).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(
        *notes.0.lock().unwrap(),
        [
            "1 starts", "2 starts", "2 ends", "1 ends", "3 starts", "3 ends", "5 starts",
            "6 starts", "6 ends", "5 ends"
        ]
    );
    let invocations: std::collections::BTreeSet<_> =
        calls.iter().map(|call| call.cx().invocation_id()).collect();
    assert_eq!(invocations.len(), 6, "each call has an invocation id of its own");
}

#[tokio::test(start_paused = true)]
async fn a_batch_has_no_more_under_way_than_allowed() {
    let notes = Notes::default();
    let runtime = batch_runtime(&notes, 2);
    let requests: Vec<_> = (0..6).map(|n| request("x", "look", n)).collect();
    let mut calls = runtime.call_all(&requests, &cx());
    runtime.execute_all(&mut calls).await;
    let (mut running, mut peak) = (0_i32, 0);
    for note in notes.0.lock().unwrap().iter() {
        running += if note.ends_with("starts") { 1 } else { -1 };
        peak = peak.max(running);
    }
    assert_eq!(peak, 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_read_does_not_keep_the_others_waiting() {
    let runtime = batch_runtime(&Notes::default(), 2);
    // They take 100, 30, 30 and 30 ms: the second permit serves all three.
    let requests = [0, 70, 70, 70].map(|n| request("x", "look", n));
    let mut calls = runtime.call_all(&requests, &cx());
    let before = tokio::time::Instant::now();
    runtime.execute_all(&mut calls).await;
    assert_eq!(before.elapsed(), Duration::from_millis(100));
}
