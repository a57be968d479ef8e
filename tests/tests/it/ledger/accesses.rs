//! Access records of many readers are written together, and are bounded.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use futures::future::{FutureExt, join_all};
use tool_runtime::ledger::{Access, Entry, Ledger, LedgerQuery, LedgerStore, MemoryLedger, Record};
use tool_runtime::store::{StoreError, StoreErrorKind};

use super::{START, ring};

/// Counts the appends, each of which waits until the test lets it go on. A handle.
#[derive(Clone)]
struct Slow(Arc<Mutex<Inner>>);

struct Inner {
    memory: MemoryLedger,
    /// How many entries each append had.
    appends: Vec<usize>,
    /// Is heard before an append or a search goes on, once it is set.
    gate: Option<Receiver<()>>,
}

impl Slow {
    fn new() -> Self {
        let memory = MemoryLedger::new(10_000);
        Self(Arc::new(Mutex::new(Inner { memory, appends: Vec::new(), gate: None })))
    }

    fn hold(&self) -> Sender<()> {
        let (go_on, gate) = mpsc::channel();
        let mut inner = self.0.lock().unwrap();
        inner.gate = Some(gate);
        inner.appends.clear();
        go_on
    }

    fn appends(&self) -> Vec<usize> {
        self.0.lock().unwrap().appends.clone()
    }

    fn wait(&self) {
        let gate = self.0.lock().unwrap().gate.take();
        if let Some(gate) = gate {
            let _ = gate.recv();
        }
    }

    fn texts(&self) -> Vec<String> {
        let entries = self.0.lock().unwrap().memory.read(0, usize::MAX).unwrap();
        let by = |entry: &Entry| match Record::read(entry.body().unwrap()).unwrap() {
            Record::Access(access) => Some(access.by),
            _ => None,
        };
        entries.iter().filter_map(by).collect()
    }
}

impl LedgerStore for Slow {
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let mut inner = self.0.lock().unwrap();
        inner.appends.push(entries.len());
        inner.memory.append(entries)
    }

    fn read(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        self.wait();
        self.0.lock().unwrap().memory.read(from, most)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.0.lock().unwrap().memory.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<Entry>, StoreError> {
        self.0.lock().unwrap().memory.last_checkpoint()
    }

    fn forget(&mut self, before: u64) -> Result<u64, StoreError> {
        self.0.lock().unwrap().memory.forget(before)
    }
}

fn noting(ledger: &Ledger, reader: usize) -> impl Future<Output = Result<(), StoreError>> + use<> {
    let ledger = ledger.clone();
    let access = Access::new(START, "read_trace", format!("reader-{reader}"), "complaint 4711");
    async move { ledger.note_access(access).await }
}

#[tokio::test]
async fn access_records_of_readers_who_come_together_take_one_write() {
    let store = Slow::new();
    let ledger = Ledger::builder(ring()).open(store.clone()).unwrap();
    let go_on = store.hold();
    // The writer is at a search, and hears of nothing until that is over.
    let search = tokio::spawn({
        let ledger = ledger.clone();
        async move { ledger.find(LedgerQuery::new()).await }
    });
    let mut notes: Vec<_> = (0..32).map(|reader| noting(&ledger, reader).boxed()).collect();
    for note in &mut notes {
        tokio::task::yield_now().await;
        assert!(note.now_or_never().is_none(), "nothing is written yet");
    }
    go_on.send(()).unwrap();
    assert!(join_all(notes).await.iter().all(Result::is_ok));
    search.await.unwrap().unwrap();
    let appends = store.appends();
    assert!(appends.len() <= 2, "written in {} parts", appends.len());
    assert_eq!(appends.iter().sum::<usize>(), 32);
    let mut written = store.texts();
    written.sort();
    let mut expected: Vec<_> = (0..32).map(|reader| format!("reader-{reader}")).collect();
    expected.sort();
    assert_eq!(written, expected);
    assert!(ledger.verify(&[]).await.is_ok());
}

#[tokio::test]
async fn access_records_that_wait_to_be_written_are_bounded() {
    let store = Slow::new();
    let ledger = Ledger::builder(ring()).open(store.clone()).unwrap();
    let go_on = store.hold();
    let search = tokio::spawn({
        let ledger = ledger.clone();
        async move { ledger.find(LedgerQuery::new()).await }
    });
    let mut notes: Vec<_> = (0..2_000).map(|reader| noting(&ledger, reader).boxed()).collect();
    let mut refused = 0;
    for note in &mut notes {
        tokio::task::yield_now().await;
        match note.now_or_never() {
            None => {}
            Some(Err(error)) => {
                assert_eq!(error.kind(), StoreErrorKind::Unavailable);
                refused += 1;
            }
            Some(Ok(())) => panic!("nothing is written yet"),
        }
    }
    assert!((900..=1_100).contains(&refused), "{refused} are refused");
    drop((notes, go_on));
    search.await.unwrap().unwrap();
    ledger.flush().await.unwrap();
    assert_eq!(store.texts().len(), 2_000 - refused, "what was taken is written");
}
