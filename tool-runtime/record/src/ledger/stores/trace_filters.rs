//! Indexes which blocks of a ledger may hold calls of a trace, so that searches skip the others.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use tool_runtime_core::store::StoreError;
use uuid::Uuid;

use crate::ledger::store::{SCAN_ENTRIES, matches_query};
use crate::ledger::{ChainEntry, LedgerQuery, LedgerStore, Record};

/// The number of records in a block.
const BLOCK: u64 = SCAN_ENTRIES as u64;

/// The most blocks that are indexed, the first ones: 8 MiB for two million records.
const MAX_BLOCKS: usize = 2_048;

/// The size of a filter in words. Each record sets the bits of its trace, alone and with its
/// tenant: at most one bit in four is set.
const WORDS: usize = 512;

/// The number of bits that each value sets.
const BITS: u32 = 4;

/// One Bloom filter per block of records, over traces and over pairs of tenant and trace.
///
/// A block is indexed when a search has read it. The first search by trace reads the whole ledger;
/// later ones read the blocks that may hold the trace and the blocks that are new. At most
/// about one block in 250 is a false positive.
#[derive(Default)]
pub(super) struct TraceFilters {
    hasher: RandomState,
    blocks: Vec<Option<Box<[u64; WORDS]>>>,
}

impl TraceFilters {
    /// Finds entries of calls that match a query, like [`LedgerStore::find`].
    pub(super) fn find(
        &mut self,
        store: &mut dyn LedgerStore,
        query: &LedgerQuery,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        let (mut found, mut from) = (Vec::new(), query.first_seq());
        let end = query.before.unwrap_or(u64::MAX).min(store.count()?);
        let wanted = query.trace_id.as_deref().map(|trace| self.bits(query.tenant_id, trace));
        while from < end && found.len() < query.limit {
            let (block, begin) = (from / BLOCK, from - from % BLOCK);
            let next = begin.saturating_add(BLOCK);
            if !wanted.as_ref().is_some_and(|wanted| self.excludes(block, wanted)) {
                // A block that is not indexed yet is read as a whole, to index it.
                let learns = wanted.is_some() && !self.knows(block);
                let entries = store.read(if learns { begin } else { from }, SCAN_ENTRIES)?;
                if learns {
                    self.learn(block, &entries);
                }
                let inside = |it: &ChainEntry| (from..next.min(end)).contains(&it.seq());
                found.extend(
                    entries.into_iter().filter(|it| inside(it) && matches_query(it, query)),
                );
            }
            from = next;
        }
        found.truncate(query.limit);
        Ok(found)
    }

    fn knows(&self, block: u64) -> bool {
        self.block(block).is_some()
    }

    fn excludes(&self, block: u64, wanted: &[usize; BITS as usize]) -> bool {
        let has = |bits: &[u64; WORDS], bit: usize| bits[bit / 64] >> (bit % 64) & 1 == 1;
        self.block(block).is_some_and(|bits| !wanted.iter().all(|bit| has(bits, *bit)))
    }

    fn block(&self, block: u64) -> Option<&[u64; WORDS]> {
        self.blocks.get(usize::try_from(block).ok()?)?.as_deref()
    }

    /// Indexes a block, if these entries are all of it.
    fn learn(&mut self, block: u64, entries: &[ChainEntry]) {
        let begin = block * BLOCK;
        let is_whole =
            entries.len() == SCAN_ENTRIES && (begin..).zip(entries).all(|(n, it)| it.seq() == n);
        let Some(at) = usize::try_from(block).ok().filter(|at| is_whole && *at < MAX_BLOCKS) else {
            return;
        };
        let mut bits = Box::new([0; WORDS]);
        for entry in entries {
            if let Some(Ok(Record::Call(call))) = entry.body().map(Record::read) {
                let alone = self.bits(None, &call.trace_id);
                let both = self.bits(Some(call.tenant_id), &call.trace_id);
                for bit in alone.into_iter().chain(both) {
                    bits[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        if self.blocks.len() <= at {
            self.blocks.resize_with(at + 1, || None);
        }
        self.blocks[at] = Some(bits);
    }

    /// Returns the bits of a trace, of one tenant or of any.
    fn bits(&self, tenant: Option<Uuid>, trace: &str) -> [usize; BITS as usize] {
        let hash = self.hasher.hash_one((tenant, trace));
        // Fifteen bits of the hash for each.
        std::array::from_fn(|at| {
            let bits = hash >> (15 * u32::try_from(at).unwrap_or(0));
            usize::try_from(bits).unwrap_or(usize::MAX) % (WORDS * 64)
        })
    }
}

impl fmt::Debug for TraceFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceFilters").field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tool_runtime_core::key_ring::KeyRing;

    use super::*;
    use crate::ledger::stores::temp_folder::TempFolder;
    use crate::ledger::{ChainHead, ChainKeys, JsonLinesLedger, MemoryLedger};

    /// Counts the entries that are read.
    struct Counted<S>(S, usize);

    impl<S: LedgerStore> LedgerStore for Counted<S> {
        fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
            self.0.append(entries)
        }

        fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
            let read = self.0.read(from, limit)?;
            self.1 += read.len();
            Ok(read)
        }

        fn count(&mut self) -> Result<u64, StoreError> {
            self.0.count()
        }

        fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
            self.0.last_checkpoint()
        }

        fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
            self.0.erase(before)
        }
    }

    /// Calls of twenty blocks and a part of one: ten per trace, alternating between two tenants.
    fn calls() -> Vec<ChainEntry> {
        let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32]).unwrap());
        let mut head = ChainHead::empty();
        let body = |n: u64| {
            format!(
                r#"{{"kind":"call","at":"2026-05-01T10:00:00.000Z","opened_at":"2026-05-01T10:00:00.000Z",
                "trace_id":"t-{}","tenant_id":"{}","invocation_id":"{}","tool":"a","status":"success",
                "ended":"executed","latency_ms":1,"attempts":1}}"#,
                n / 10,
                Uuid::from_u128(u128::from(n % 2)),
                Uuid::from_u128(u128::from(n)),
            )
        };
        (0..20 * BLOCK + 100).map(|n| head.append(&keys, body(n).into())).collect()
    }

    fn check_few_are_read(store: impl LedgerStore) {
        let (mut store, mut blocks) = (Counted(store, 0), TraceFilters::default());
        store.append(&calls()).unwrap();
        let mut find = |query: &LedgerQuery| {
            let (before, found) = (store.1, blocks.find(&mut store, query).unwrap());
            let seqs: Vec<_> = found.iter().map(ChainEntry::seq).collect();
            (seqs, store.1 - before)
        };
        let all = 20 * SCAN_ENTRIES + 100;
        let query = LedgerQuery::new().trace("t-500");
        assert_eq!(find(&query), ((5_000..5_010).collect(), all), "the first search reads all");
        let few = |read: usize| read <= 2 * SCAN_ENTRIES + 100;
        let (found, read) = find(&query);
        assert!(found.len() == 10 && few(read), "{read}");
        let (found, read) = find(&query.clone().tenant(Uuid::from_u128(1)));
        assert_eq!(found, [5_001, 5_003, 5_005, 5_007, 5_009]);
        assert!(few(read), "{read}");
        let (found, read) = find(&query.clone().tenant(Uuid::from_u128(9)));
        assert!(found.is_empty() && few(read), "{read}");
        // A part, as a search reads it, and the last block, which is never indexed.
        let part = LedgerQuery { after: Some(5_003.into()), before: Some(5_006), ..query };
        assert_eq!(find(&part).0, [5_004, 5_005]);
        let (last, _) = find(&LedgerQuery::new().trace("t-2057"));
        assert_eq!(last, (20_570..20_580).collect::<Vec<_>>());
    }

    #[test]
    fn a_later_search_by_trace_reads_the_blocks_alone_that_may_hold_it() {
        check_few_are_read(MemoryLedger::new(30_000));
        let folder = TempFolder::new();
        let path = folder.file("calls.jsonl");
        check_few_are_read(JsonLinesLedger::options().sync(false).open(path).unwrap());
    }

    #[test]
    fn the_remembered_blocks_are_bounded() {
        let mut blocks = TraceFilters::default();
        let entries = &calls()[..SCAN_ENTRIES];
        let moved = |block: u64| -> Vec<ChainEntry> {
            let part = |(n, it): (u64, &ChainEntry)| {
                ChainEntry::from_parts(
                    block * BLOCK + n,
                    it.body(),
                    *it.leaf(),
                    it.key(),
                    *it.mac(),
                )
            };
            (0..).zip(entries).map(part).collect()
        };
        for block in [0, MAX_BLOCKS as u64 - 1, MAX_BLOCKS as u64, u64::from(u32::MAX)] {
            blocks.learn(block, &moved(block));
        }
        assert_eq!(blocks.blocks.len(), MAX_BLOCKS);
        assert!(blocks.knows(0) && !blocks.knows(MAX_BLOCKS as u64));
    }
}
