//! Searches a ledger for a page of calls, one part after another.

use tool_runtime_core::store::StoreError;

use super::position::RecordPosition;
use super::query::{LedgerPage, LedgerQuery};
use super::record::Record;
use super::shared::SharedLedger;
use super::store::LedgerStore;
use super::writer::LedgerWriter;

/// A search that is under way.
pub(super) struct LedgerSearch {
    query: LedgerQuery,
    /// The positions and texts of the records that match.
    found: Vec<(RecordPosition, Option<Box<str>>)>,
    /// The position after which the next part begins.
    after: Option<RecordPosition>,
    /// The end of the ledger when the search began; records that are added later are not searched. None before the
    /// first part.
    end: Option<RecordPosition>,
}

impl LedgerSearch {
    pub(super) fn new(query: LedgerQuery) -> Self {
        let after = query.after;
        Self { query, found: Vec::new(), after, end: None }
    }

    /// Searches the next part; returns whether there is another one to search.
    pub(super) fn advance(&mut self, writer: &mut LedgerWriter) -> Result<bool, StoreError> {
        let size = writer.size();
        let store = writer.store();
        match store.shared() {
            Some(shared) => self.advance_in_all_chains(shared),
            None => self.advance_in_chain(store, size),
        }
    }

    fn advance_in_chain(
        &mut self,
        store: &mut dyn LedgerStore,
        size: u64,
    ) -> Result<bool, StoreError> {
        let end = self.end.get_or_insert_with(|| size.into()).seq();
        let from = LedgerQuery { after: self.after, ..LedgerQuery::new() }.first_seq();
        let before = end.min(from.saturating_add(store.search_span(&self.query).max(1)));
        let entries = store.find(&LedgerQuery { before: Some(before), ..self.part() })?;
        // A custom store may have searched further than requested.
        let behind = entries.last().map_or(0, |last| last.seq().saturating_add(1));
        let next = before.max(behind);
        self.after = next.checked_sub(1).map(RecordPosition::from);
        self.found.extend(entries.into_iter().map(|entry| (entry.seq().into(), entry.into_body())));
        Ok(next < end && self.found.len() < self.wanted())
    }

    fn advance_in_all_chains(&mut self, shared: &mut dyn SharedLedger) -> Result<bool, StoreError> {
        let end = match self.end {
            Some(end) => end,
            None => match shared.last_position()? {
                Some(end) => *self.end.insert(end),
                None => return Ok(false),
            },
        };
        let part = shared.search(&self.part(), end)?;
        self.found.extend(part.records.into_iter().map(|(position, body)| (position, Some(body))));
        self.after = part.next;
        Ok(self.after.is_some() && self.found.len() < self.wanted())
    }

    /// Returns the page.
    pub(super) fn into_page(self) -> LedgerPage {
        let Self { query, found, .. } = self;
        let more = found.len() > query.limit;
        let last = found.get(query.limit.wrapping_sub(1)).filter(|_| more);
        let next = last.map(|(position, _)| *position);
        let read = |(position, body): &(RecordPosition, Option<Box<str>>)| {
            let record = Record::read(body.as_deref()?).ok()?;
            Some((*position, record.found(&query)?))
        };
        LedgerPage { records: found.iter().take(query.limit).filter_map(read).collect(), next }
    }

    fn part(&self) -> LedgerQuery {
        let limit = self.wanted() - self.found.len();
        LedgerQuery { after: self.after, limit, ..self.query.clone() }
    }

    /// One more than a page holds, which shows if there is a next page.
    fn wanted(&self) -> usize {
        self.query.limit + 1
    }
}
