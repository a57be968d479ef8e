//! Concurrent calls under one key: one effect, and one answer for all that get one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime::policy::{ConcurrentRepeat, Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, SqliteStore, Store};

use super::keyed_runtime::{body, cx};
use crate::sqlite::Folder;

const TASKS: usize = 64;

/// Counts the bookings of each seat.
#[derive(Default)]
struct Seats(AtomicU32);

/// Books a seat.
#[ai_tool(effect = "write", preview = show)]
async fn book(seats: &Seats) -> u32 {
    tokio::task::yield_now().await;
    seats.0.fetch_add(1, Ordering::SeqCst)
}

async fn show(_: &Seats) -> u32 {
    0
}

fn runtime(
    seats: &Arc<Seats>,
    store: impl Store,
    on_concurrent_repeat: ConcurrentRepeat,
) -> Runtime {
    let policy = Policy::new()
        .store(store)
        .rules(ToolPolicy::new().on_concurrent_repeat(on_concurrent_repeat));
    Runtime::builder()
        .tool::<BookTool>()
        .shared_state(seats.clone())
        .permission("book", Permission::Allow)
        .policy(policy)
        .build()
        .expect("the runtime")
}

/// Races for a key in every round, and sees that it was one effect and one answer.
async fn race(runtimes: &[Runtime], seats: &Seats, rounds: u32, waits: bool) {
    for round in 0..rounds {
        let cx = cx(&format!("k-{round}"));
        let tasks = (0..TASKS).map(|task| {
            let mut call = runtimes[task % runtimes.len()].call("book", "{}", &cx);
            tokio::spawn(async move { call.execute().await.clone() })
        });
        let tasks: Vec<_> = tasks.collect();
        let mut answered = 0;
        for task in tasks {
            let output = task.await.expect("the task");
            if output.is_ok() {
                assert_eq!(body(&output), round.to_string());
                answered += 1;
            } else {
                assert_eq!(output.error().and_then(|error| error.code()), Some("CONFLICT"));
            }
        }
        assert_eq!(seats.0.load(Ordering::SeqCst), round + 1, "one effect a round");
        assert!(answered >= if waits { TASKS } else { 1 }, "{answered} answers");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_races_in_memory_have_a_thousand_effects() {
    let seats = Arc::default();
    let runtime = runtime(&seats, MemoryStore::new(), ConcurrentRepeat::Refuse);
    race(&[runtime], &seats, 1_000, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_who_wait_all_get_the_one_answer() {
    let seats = Arc::default();
    let runtime = runtime(&seats, MemoryStore::new(), ConcurrentRepeat::Wait);
    race(&[runtime], &seats, 20, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn races_between_two_handles_on_one_file_have_one_effect_each() {
    let (folder, seats) = (Folder::new(), Arc::default());
    let open = || SqliteStore::open(folder.file()).unwrap();
    let runtimes = [(); 2].map(|()| runtime(&seats, open(), ConcurrentRepeat::Refuse));
    race(&runtimes, &seats, 50, false).await;
}
