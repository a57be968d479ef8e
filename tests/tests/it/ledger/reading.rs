//! Looking something up while calls are recorded.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use futures::future::join3;
use futures::{FutureExt, poll};
use tool_runtime::ledger::{ChainEntry, Ledger, LedgerQuery, LedgerStore, MemoryLedger};
use tool_runtime::prelude::*;
use tool_runtime::store::StoreError;

use super::ring;

/// The number of records before the searches.
const BEFORE: usize = 20;

/// Waves.
#[ai_tool(effect = "read")]
async fn wave() {}

/// An operation on the store since it is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Did {
    Read,
    Append,
}

/// A store that reports its operations, and blocks in the first one. A handle.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Option<Watch>>>);

struct Watch {
    did: Vec<Did>,
    stop: Option<(Sender<()>, Receiver<()>)>,
}

struct Watched {
    memory: MemoryLedger,
    log: Log,
}

impl Log {
    /// Starts watching; returns a receiver for the first operation, and a sender that releases it.
    fn watch(&self) -> (Receiver<()>, Sender<()>) {
        let ((begun, hears), (go_on, waits)) = (mpsc::channel(), mpsc::channel());
        let watch = Watch { did: Vec::new(), stop: Some((begun, waits)) };
        *self.0.lock().unwrap() = Some(watch);
        (hears, go_on)
    }

    fn did(&self, what: Did) {
        let Some(watch) = &mut *self.0.lock().unwrap() else { return };
        watch.did.push(what);
        if let Some((begun, go_on)) = watch.stop.take() {
            begun.send(()).unwrap();
            // The test may have ended.
            let _ = go_on.recv();
        }
    }

    fn done(&self) -> Vec<Did> {
        self.0.lock().unwrap().as_ref().unwrap().did.clone()
    }
}

impl LedgerStore for Watched {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        self.log.did(Did::Append);
        self.memory.append(entries)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        self.log.did(Did::Read);
        self.memory.read(from, limit.min(2))
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.memory.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        self.memory.last_checkpoint()
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        self.memory.erase(before)
    }

    fn search_span(&self, _: &LedgerQuery) -> u64 {
        2
    }
}

/// A ledger of some calls, and a runtime that adds more.
struct Library {
    ledger: Ledger,
    runtime: Runtime,
    log: Log,
}

impl Library {
    async fn new() -> Self {
        let log = Log::default();
        let store = Watched { memory: MemoryLedger::new(1_000), log: log.clone() };
        let ledger = Ledger::builder(ring()).open(store).unwrap();
        let runtime = Runtime::builder().tool::<WaveTool>().ledger(&ledger).build().unwrap();
        let library = Self { ledger, runtime, log };
        for _ in 0..BEFORE {
            library.call().await;
        }
        library.ledger.flush().await.unwrap();
        library
    }

    async fn call(&self) {
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build().unwrap();
        self.runtime.call("wave", "{}", &cx).execute().await;
    }

    async fn look(&self) -> usize {
        self.ledger.find(LedgerQuery::new()).await.unwrap().records.len()
    }
}

#[tokio::test]
async fn a_call_ending_during_a_search_is_written_before_the_search_ends() {
    let library = Library::new().await;
    let (begun, go_on) = library.log.watch();
    let mut search = library.look().boxed();
    assert!(poll!(&mut search).is_pending());
    begun.recv().unwrap();
    library.call().await;
    go_on.send(()).unwrap();
    assert_eq!(search.await, BEFORE);
    let done = library.log.done();
    let appended = done.iter().position(|it| *it == Did::Append).expect("it is written meanwhile");
    assert_eq!(appended, 1, "behind one part: {done:?}");
    assert!(done.len() > 10, "{done:?}");
}

#[tokio::test]
async fn however_many_search_a_record_waits_for_one_part() {
    let library = Library::new().await;
    let (begun, go_on) = library.log.watch();
    let mut searches = join3(library.look(), library.look(), library.look()).boxed();
    assert!(poll!(&mut searches).is_pending());
    begun.recv().unwrap();
    library.call().await;
    go_on.send(()).unwrap();
    let (first, second, third) = searches.await;
    assert!([first, second, third].iter().all(|found| *found >= BEFORE));
    let done = library.log.done();
    assert_eq!(done.iter().position(|it| *it == Did::Append), Some(1), "{done:?}");
}

#[tokio::test]
async fn nothing_more_is_read_for_one_who_has_gone() {
    let library = Library::new().await;
    let (begun, go_on) = library.log.watch();
    let mut search = library.look().boxed();
    assert!(poll!(&mut search).is_pending());
    begun.recv().unwrap();
    drop(search);
    go_on.send(()).unwrap();
    library.ledger.flush().await.unwrap();
    assert_eq!(library.log.done(), [Did::Read]);
}

#[tokio::test]
async fn nothing_is_read_for_one_who_goes_before_it_begins() {
    let library = Library::new().await;
    let (begun, go_on) = library.log.watch();
    library.call().await;
    begun.recv().unwrap();
    let mut search = library.look().boxed();
    assert!(poll!(&mut search).is_pending());
    drop(search);
    go_on.send(()).unwrap();
    library.ledger.flush().await.unwrap();
    assert_eq!(library.log.done(), [Did::Append]);
}

#[tokio::test]
async fn a_search_ends_where_the_ledger_ended_when_it_began() {
    let library = Library::new().await;
    let (begun, go_on) = library.log.watch();
    let mut search = library.look().boxed();
    assert!(poll!(&mut search).is_pending());
    begun.recv().unwrap();
    for _ in 0..BEFORE {
        library.call().await;
    }
    go_on.send(()).unwrap();
    assert_eq!(search.await, BEFORE);
    assert_eq!(library.look().await, 2 * BEFORE);
}

#[tokio::test]
async fn pages_of_many_parts_hold_each_record_once() {
    let library = Library::new().await;
    for limit in 1..=BEFORE + 1 {
        let (mut found, mut query) = (Vec::new(), LedgerQuery::new().limit(limit));
        loop {
            let page = library.ledger.find(query.clone()).await.unwrap();
            assert!(page.records.len() <= limit);
            found.extend(page.records.iter().map(|(seq, _)| *seq));
            let Some(next) = page.next else { break };
            assert_eq!(found.last(), Some(&next));
            query = query.after(next);
        }
        assert_eq!(found.len(), BEFORE, "{limit} a page");
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    }
}
