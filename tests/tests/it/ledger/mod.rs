//! The ledger through the whole runtime: every end of a call, overload, crashes, forgeries.

mod accesses;
mod answers;
mod crash;
mod damage;
mod ends;
mod export;
mod kinds;
mod overload;
mod reading;
mod verify;

use std::sync::{Arc, Mutex};

use tool_runtime::ledger::{
    ChainEntry, Ledger, LedgerQuery, LedgerStore, MemoryLedger, Record, RecordedCall,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{StoreError, StoreErrorKind, UnixMillis};

pub(crate) const START: UnixMillis = UnixMillis::new(1_800_000_000_000);

pub(crate) fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).unwrap()
}

pub(crate) fn ledger() -> Ledger {
    Ledger::builder(ring()).open(MemoryLedger::new(10_000)).unwrap()
}

/// Every call on the ledger, which has to hold each that was opened, once.
#[track_caller]
pub(crate) fn check_whole(ledger: &Ledger, records: usize) {
    let status = ledger.status();
    let records = u64::try_from(records).unwrap();
    let counts = [status.opened, status.ended, status.written];
    assert_eq!((counts, status.shed, status.lost), ([records; 3], 0, 0), "{status:?}");
}

/// Everything that has ended by now, which has to be everything that was opened.
pub(crate) async fn recorded(ledger: &Ledger) -> Vec<RecordedCall> {
    ledger.flush().await.unwrap();
    let records = all(ledger, LedgerQuery::new()).await;
    check_whole(ledger, records.len());
    records
}

/// All that a query finds, page by page.
pub(crate) async fn all(ledger: &Ledger, mut query: LedgerQuery) -> Vec<RecordedCall> {
    let mut found = Vec::new();
    loop {
        let page = ledger.find(query.clone()).await.unwrap();
        found.extend(page.records.into_iter().map(|(_, call)| call));
        match page.next {
            Some(next) => query = query.after(next),
            None => return found,
        }
    }
}

/// An in-memory ledger that the test can read and make fail. A handle.
#[derive(Clone)]
pub(crate) struct TestLedger(Arc<Mutex<TestEntries>>);

struct TestEntries {
    memory: MemoryLedger,
    fails: bool,
    /// The number of the entry that is read with another body.
    altered: Option<u64>,
}

impl Default for TestLedger {
    fn default() -> Self {
        let memory = MemoryLedger::new(10_000);
        Self(Arc::new(Mutex::new(TestEntries { memory, fails: false, altered: None })))
    }
}

impl TestLedger {
    pub(crate) fn fail(&self, fails: bool) {
        self.0.lock().unwrap().fails = fails;
    }

    /// Alters the body of an entry.
    pub(crate) fn alter(&self, seq: u64) {
        self.0.lock().unwrap().altered = Some(seq);
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        let entries = self.0.lock().unwrap().memory.read(0, usize::MAX).unwrap();
        entries.iter().map(|entry| Record::read(entry.body().unwrap()).unwrap()).collect()
    }
}

impl LedgerStore for TestLedger {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        let TestEntries { memory, fails, .. } = &mut *self.0.lock().unwrap();
        if *fails {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is gone"));
        }
        memory.append(entries)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let TestEntries { memory, altered, .. } = &mut *self.0.lock().unwrap();
        let mut entries = memory.read(from, limit)?;
        if let Some(entry) = entries.iter_mut().find(|entry| Some(entry.seq()) == *altered) {
            let (seq, leaf, key, mac) = (entry.seq(), *entry.leaf(), entry.key(), *entry.mac());
            *entry = ChainEntry::from_parts(seq, Some("{}"), leaf, key, mac);
        }
        Ok(entries)
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
