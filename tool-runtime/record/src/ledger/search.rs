//! Searches a ledger for a page of calls, one part after another.

use tool_runtime_core::store::StoreError;

use super::chain::ChainEntry;
use super::query::{LedgerPage, LedgerQuery};
use super::record::Record;
use super::writer::LedgerWriter;

/// A search that is under way.
pub(super) struct LedgerSearch {
    query: LedgerQuery,
    found: Vec<ChainEntry>,
    /// The start of the next part.
    from: u64,
    /// The end of the ledger when the search began; records that are added later are not searched.
    end: Option<u64>,
}

impl LedgerSearch {
    pub(super) fn new(query: LedgerQuery) -> Self {
        let from = query.after.map_or(0, |seq| seq.saturating_add(1));
        Self { query, found: Vec::new(), from, end: None }
    }

    /// Searches the next part; returns whether there is another one to search.
    pub(super) fn advance(&mut self, writer: &mut LedgerWriter) -> Result<bool, StoreError> {
        let end = *self.end.get_or_insert_with(|| writer.size());
        let store = writer.store();
        let before = end.min(self.from.saturating_add(store.search_span(&self.query).max(1)));
        let entries = store.find(&self.part(before))?;
        // A custom store may have searched further than requested.
        let behind = entries.last().map_or(0, |last| last.seq().saturating_add(1));
        self.from = before.max(behind);
        self.found.extend(entries);
        Ok(self.from < end && self.found.len() < self.wanted())
    }

    /// Returns the page.
    pub(super) fn into_page(self) -> LedgerPage {
        let Self { query, found, .. } = self;
        let more = found.len() > query.limit;
        let next = found.get(query.limit.wrapping_sub(1)).filter(|_| more).map(ChainEntry::seq);
        let read = |entry: &ChainEntry| {
            let record = Record::read(entry.body()?).ok()?;
            Some((entry.seq(), record.found(&query)?))
        };
        LedgerPage { records: found.iter().take(query.limit).filter_map(read).collect(), next }
    }

    fn part(&self, before: u64) -> LedgerQuery {
        let after = self.from.checked_sub(1);
        let limit = self.wanted() - self.found.len();
        LedgerQuery { after, before: Some(before), limit, ..self.query.clone() }
    }

    /// One more than a page holds, which shows if there is a next page.
    fn wanted(&self) -> usize {
        self.query.limit + 1
    }
}
