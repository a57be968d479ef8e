//! Access records of many readers are written together, and are bounded.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use futures::future::{FutureExt, join_all};
use tokio::task::JoinHandle;
use tool_runtime::ledger::{
    ChainEntry, Ledger, LedgerPage, LedgerQuery, LedgerStore, MemoryLedger, Record, RecordedAccess,
};
use tool_runtime::store::{StoreError, StoreErrorKind};

use super::{START, ring};

/// A store whose next read blocks until the test releases it, and which counts appends. A handle.
#[derive(Clone)]
struct GatedStore(Arc<Mutex<Inner>>);

struct Inner {
    memory: MemoryLedger,
    /// The number of entries of each append.
    appends: Vec<usize>,
    /// The next read receives from it first, if it is set.
    gate: Option<Receiver<()>>,
}

impl GatedStore {
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

    fn readers(&self) -> Vec<String> {
        let entries = self.0.lock().unwrap().memory.read(0, usize::MAX).unwrap();
        let by = |entry: &ChainEntry| match Record::read(entry.body().unwrap()).unwrap() {
            Record::Access(access) => Some(access.by),
            _ => None,
        };
        entries.iter().filter_map(by).collect()
    }
}

impl LedgerStore for GatedStore {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        let mut inner = self.0.lock().unwrap();
        inner.appends.push(entries.len());
        inner.memory.append(entries)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        self.wait();
        self.0.lock().unwrap().memory.read(from, limit)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.0.lock().unwrap().memory.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        self.0.lock().unwrap().memory.last_checkpoint()
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        self.0.lock().unwrap().memory.erase(before)
    }
}

fn record_access(
    ledger: &Ledger,
    reader: usize,
) -> impl Future<Output = Result<(), StoreError>> + use<> {
    let ledger = ledger.clone();
    let access =
        RecordedAccess::new(START, "read_trace", format!("reader-{reader}"), "complaint 4711");
    async move { ledger.record_access(access).await }
}

/// A ledger whose writer is blocked in a search until `go_on` is sent or dropped.
struct Blocked {
    store: GatedStore,
    ledger: Ledger,
    go_on: Sender<()>,
    search: JoinHandle<Result<LedgerPage, StoreError>>,
}

impl Blocked {
    fn start() -> Self {
        let store = GatedStore::new();
        let ledger = Ledger::builder(ring()).open(store.clone()).unwrap();
        let go_on = store.hold();
        let searched = ledger.clone();
        let search = tokio::spawn(async move { searched.find(LedgerQuery::new()).await });
        Self { store, ledger, go_on, search }
    }
}

#[tokio::test]
async fn access_records_of_readers_who_come_together_take_one_write() {
    let Blocked { store, ledger, go_on, search } = Blocked::start();
    let mut pending: Vec<_> =
        (0..32).map(|reader| record_access(&ledger, reader).boxed()).collect();
    for record in &mut pending {
        tokio::task::yield_now().await;
        assert!(record.now_or_never().is_none(), "nothing is written yet");
    }
    go_on.send(()).unwrap();
    assert!(join_all(pending).await.iter().all(Result::is_ok));
    search.await.unwrap().unwrap();
    let appends = store.appends();
    assert!(appends.len() <= 2, "written in {} parts", appends.len());
    assert_eq!(appends.iter().sum::<usize>(), 32);
    let mut written = store.readers();
    written.sort();
    let mut expected: Vec<_> = (0..32).map(|reader| format!("reader-{reader}")).collect();
    expected.sort();
    assert_eq!(written, expected);
    assert!(ledger.verify(&[]).await.is_ok());
}

#[tokio::test]
async fn access_records_that_wait_to_be_written_are_bounded() {
    let Blocked { store, ledger, go_on, search } = Blocked::start();
    let mut pending: Vec<_> =
        (0..2_000).map(|reader| record_access(&ledger, reader).boxed()).collect();
    let mut refused = 0;
    for record in &mut pending {
        tokio::task::yield_now().await;
        match record.now_or_never() {
            None => {}
            Some(Err(error)) => {
                assert_eq!(error.kind(), StoreErrorKind::Unavailable);
                refused += 1;
            }
            Some(Ok(())) => panic!("nothing is written yet"),
        }
    }
    assert!((900..=1_100).contains(&refused), "{refused} are refused");
    drop((pending, go_on));
    search.await.unwrap().unwrap();
    ledger.flush().await.unwrap();
    assert_eq!(store.readers().len(), 2_000 - refused, "every accepted record is written");
}
