//! Looking through a ledger for a page of calls, one part after another.

use super::chain::Entry;
use super::query::{LedgerQuery, Page};
use super::record::Record;
use super::writer::Desk;
use crate::store::StoreError;

/// A page that is being gathered.
pub(super) struct Search {
    query: LedgerQuery,
    found: Vec<Entry>,
    /// Where the next part begins.
    from: u64,
    /// Where the ledger ended when the search began: one that grows is not run after.
    end: Option<u64>,
}

impl Search {
    pub(super) fn of(query: LedgerQuery) -> Self {
        let from = query.after.map_or(0, |seq| seq.saturating_add(1));
        Self { query, found: Vec::new(), from, end: None }
    }

    /// Looks through the next part; true if there is another one to be looked through.
    pub(super) fn advance(&mut self, desk: &mut Desk) -> Result<bool, StoreError> {
        let end = *self.end.get_or_insert_with(|| desk.size());
        let store = desk.store();
        let before = end.min(self.from.saturating_add(store.reach(&self.query).max(1)));
        let found = store.find(&self.part(before))?;
        // A store of somebody else's may have looked further than it was asked to.
        let behind = found.last().map_or(0, |last| last.seq().saturating_add(1));
        self.from = before.max(behind);
        self.found.extend(found);
        Ok(self.from < end && self.found.len() < self.wanted())
    }

    /// Gives what was found.
    pub(super) fn into_page(self) -> Page {
        let Self { query, found, .. } = self;
        let more = found.len() > query.limit;
        let next = found.get(query.limit.wrapping_sub(1)).filter(|_| more).map(Entry::seq);
        let read = |entry: &Entry| {
            let record = Record::read(entry.body()?).ok()?;
            Some((entry.seq(), record.found(&query)?))
        };
        Page { records: found.iter().take(query.limit).filter_map(read).collect(), next }
    }

    fn part(&self, before: u64) -> LedgerQuery {
        let after = self.from.checked_sub(1);
        let limit = self.wanted() - self.found.len();
        LedgerQuery { after, before: Some(before), limit, ..self.query.clone() }
    }

    /// One more than a page holds tells whether there is a further page.
    fn wanted(&self) -> usize {
        self.query.limit + 1
    }
}
