//! The suite for ledgers: the backends pass, and a defect is found and named.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::DateTime;
use tool_runtime::ledger::{
    ChainEntry, JsonLinesLedger, LedgerQuery, LedgerStore, MAX_PAGE_SIZE, MemoryLedger,
    SqliteLedger,
};
use tool_runtime::store::{SqliteStore, StoreError};
use tool_runtime::testing::conformance;

use super::conformance::{all_are_found, said};
use crate::sqlite::Folder;

const ROOM: usize = 10_000;

#[test]
fn memory_keeps_every_promise() {
    conformance::ledgers(|| MemoryLedger::new(ROOM));
}

#[test]
fn lines_of_json_keep_every_promise() {
    let folder = Folder::new();
    let mut files = (0..).map(|number| folder.0.join(format!("{number}.jsonl")));
    let mut file = move || files.next().expect("numbers do not end");
    // Syncing is slow, and not part of the suite.
    conformance::ledgers(|| JsonLinesLedger::options().sync(false).open(file()).unwrap());
}

#[test]
fn sqlite_keeps_every_promise() {
    let folder = Folder::new();
    let mut files = (0..).map(|number| folder.0.join(format!("{number}.db")));
    let mut file = move || files.next().expect("numbers do not end");
    let options = SqliteStore::options().sync_commits(false);
    conformance::ledgers(|| SqliteLedger::open_with(file(), &options).unwrap());
}

#[test]
fn every_defect_is_found_and_named() {
    all_are_found(DEFECTS, complaint);
    assert_eq!(complaint(Defect::None), None);
}

/// The assertion of the suite that each defect breaks.
const DEFECTS: [(Defect, &str); 14] = [
    (Defect::TrimsBodies, "an entry is read byte for byte; entry 5 came back changed"),
    (Defect::ForgetsKeys, "an entry is read byte for byte; entry 1 came back changed"),
    (Defect::ReadsBehindTheNumber, "a page has entries from a number on"),
    (Defect::ReadsOneMore, "a page has entries from a number on: at most 0 from 0"),
    (Defect::TakesGaps, "an entry that would leave a gap is refused"),
    (Defect::LeavesOutWhatIsTaken, "an entry whose number is taken is refused"),
    (Defect::KeepsHalfAGroup, "of a group that is refused, nothing is kept"),
    (Defect::FindsTheFirstCheckpoint, "the last entry whose record is a checkpoint is found"),
    (Defect::SearchesTextForCheckpoints, "the last entry whose record is a checkpoint is found"),
    (Defect::ForgetsOneMore, "contents before a number are erased, and hashes stay"),
    (Defect::CountsWhatIsGone, "erased contents are counted, and only once"),
    (Defect::IgnoresTheTime, "calls that match are found"),
    (Defect::FindsTheLastFirst, "calls that match are found, in their order"),
    (Defect::IgnoresTheLimit, "a page has no more calls than were asked for"),
];

fn complaint(defect: Defect) -> Option<String> {
    let new = || Broken { ledger: MemoryLedger::new(ROOM), defect };
    catch_unwind(AssertUnwindSafe(|| conformance::ledgers(new))).err().map(said)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    TrimsBodies,
    ForgetsKeys,
    ReadsBehindTheNumber,
    ReadsOneMore,
    TakesGaps,
    LeavesOutWhatIsTaken,
    KeepsHalfAGroup,
    FindsTheFirstCheckpoint,
    SearchesTextForCheckpoints,
    ForgetsOneMore,
    CountsWhatIsGone,
    IgnoresTheTime,
    FindsTheLastFirst,
    IgnoresTheLimit,
}

/// An in-memory ledger with a defect.
struct Broken {
    ledger: MemoryLedger,
    defect: Defect,
}

impl Broken {
    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn all(&mut self) -> Result<Vec<ChainEntry>, StoreError> {
        self.ledger.read(0, usize::MAX)
    }

    fn numbered(entry: &ChainEntry, seq: u64) -> ChainEntry {
        ChainEntry::from_parts(seq, entry.body(), *entry.leaf(), entry.key(), *entry.mac())
    }

    fn altered(&self, entry: &ChainEntry) -> ChainEntry {
        let (body, key) = (entry.body(), entry.key());
        let body = if self.has(Defect::TrimsBodies) { body.map(str::trim) } else { body };
        let key = if self.has(Defect::ForgetsKeys) { "2025-07" } else { key };
        ChainEntry::from_parts(entry.seq(), body, *entry.leaf(), key, *entry.mac())
    }
}

impl LedgerStore for Broken {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        let next = self.ledger.count()?;
        let altered: Vec<_> = match self.defect {
            Defect::TakesGaps => {
                (next..).zip(entries).map(|(seq, entry)| Self::numbered(entry, seq)).collect()
            }
            Defect::LeavesOutWhatIsTaken => {
                entries.iter().filter(|entry| entry.seq() >= next).cloned().collect()
            }
            Defect::KeepsHalfAGroup => {
                return entries.chunks(1).try_for_each(|entry| self.ledger.append(entry));
            }
            _ => entries.iter().map(|entry| self.altered(entry)).collect(),
        };
        self.ledger.append(&altered)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let behind = u64::from(self.has(Defect::ReadsBehindTheNumber) && from > 0);
        let more = usize::from(self.has(Defect::ReadsOneMore));
        self.ledger.read(from.saturating_add(behind), limit.saturating_add(more))
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.ledger.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        let said =
            |entry: &ChainEntry| entry.body().is_some_and(|body| body.contains("checkpoint"));
        match self.defect {
            Defect::FindsTheFirstCheckpoint => Ok(self.all()?.into_iter().find(said)),
            Defect::SearchesTextForCheckpoints => Ok(self.all()?.into_iter().rfind(said)),
            _ => self.ledger.last_checkpoint(),
        }
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {
        let query = query.clone();
        let mut found = self.ledger.find(&match self.defect {
            Defect::IgnoresTheTime => query.since(DateTime::UNIX_EPOCH),
            Defect::IgnoresTheLimit => query.limit(MAX_PAGE_SIZE),
            _ => query,
        })?;
        if self.has(Defect::FindsTheLastFirst) {
            found.reverse();
        }
        Ok(found)
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        let more = u64::from(self.has(Defect::ForgetsOneMore));
        let erased = self.ledger.erase(before.saturating_add(more))?;
        let gone = before.min(self.ledger.count()?);
        Ok(if self.has(Defect::CountsWhatIsGone) { gone } else { erased })
    }
}
