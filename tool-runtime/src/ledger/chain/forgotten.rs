//! Which records have no body, until an entry of the chain says that it was forgotten.

use std::ops::Range;

/// Beyond this many runs, the last one takes in what lies between: a fault stays a fault, and may
/// name a record later than the first.
const MOST: usize = 64;

/// The records without a body that nothing has accounted for.
#[derive(Debug, Default)]
pub(super) struct Forgotten {
    /// In order, each not empty and apart from the next.
    runs: Vec<Range<u64>>,
}

impl Forgotten {
    /// Takes down the next record without a body.
    pub(super) fn add(&mut self, seq: u64) {
        let full = self.runs.len() == MOST;
        match self.runs.last_mut() {
            Some(run) if run.end == seq || full => run.end = seq + 1,
            _ => self.runs.push(seq..seq + 1),
        }
    }

    /// Accounts for all records below this one.
    pub(super) fn account(&mut self, before: u64) {
        self.runs.retain(|run| run.end > before);
        if let Some(run) = self.runs.first_mut() {
            run.start = run.start.max(before);
        }
    }

    /// The first that nothing accounts for.
    pub(super) fn first(&self) -> Option<u64> {
        self.runs.first().map(|run| run.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seqs: impl IntoIterator<Item = u64>) -> Forgotten {
        let mut forgotten = Forgotten::default();
        seqs.into_iter().for_each(|seq| forgotten.add(seq));
        forgotten
    }

    #[test]
    fn the_first_at_or_after_the_horizon_stays() {
        let cases = [(0, Some(2)), (2, Some(2)), (3, Some(3)), (4, Some(7)), (7, Some(7))];
        for (before, first) in cases.into_iter().chain([(8, None), (9, None)]) {
            let mut forgotten = of([2, 3, 7]);
            forgotten.account(before);
            assert_eq!(forgotten.first(), first, "before {before}");
        }
    }

    #[test]
    fn any_number_of_runs_takes_little_memory_and_hides_nothing() {
        let mut forgotten = of((0..10_000).step_by(2));
        assert_eq!(forgotten.runs.len(), MOST);
        forgotten.account(9_998);
        assert_eq!(forgotten.first(), Some(9_998));
        forgotten.account(9_999);
        assert_eq!(forgotten.first(), None);
    }
}
