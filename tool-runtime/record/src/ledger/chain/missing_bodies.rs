//! Records without a body whose erasure no entry has recorded yet.

use std::ops::Range;

/// The most ranges that are kept. Beyond it the last range is extended over the gap, so that a
/// fault stays a fault, but may name a later record than the first.
const MAX_RANGES: usize = 64;

/// Ranges of records without a body and without a record of the erasure.
#[derive(Debug, Default)]
pub(super) struct MissingBodies {
    /// In order, not empty, and not adjacent.
    runs: Vec<Range<u64>>,
}

impl MissingBodies {
    /// Adds the next record without a body.
    pub(super) fn add(&mut self, seq: u64) {
        let full = self.runs.len() == MAX_RANGES;
        match self.runs.last_mut() {
            Some(run) if run.end == seq || full => run.end = seq + 1,
            _ => self.runs.push(seq..seq + 1),
        }
    }

    /// Removes all records below this one: their erasure is recorded.
    pub(super) fn clear_below(&mut self, before: u64) {
        self.runs.retain(|run| run.end > before);
        if let Some(run) = self.runs.first_mut() {
            run.start = run.start.max(before);
        }
    }

    /// Returns the first record whose erasure is not recorded.
    pub(super) fn first(&self) -> Option<u64> {
        self.runs.first().map(|run| run.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing_bodies(seqs: impl IntoIterator<Item = u64>) -> MissingBodies {
        let mut erased = MissingBodies::default();
        seqs.into_iter().for_each(|seq| erased.add(seq));
        erased
    }

    #[test]
    fn the_first_at_or_after_the_horizon_stays() {
        let cases = [(0, Some(2)), (2, Some(2)), (3, Some(3)), (4, Some(7)), (7, Some(7))];
        for (before, first) in cases.into_iter().chain([(8, None), (9, None)]) {
            let mut erased = missing_bodies([2, 3, 7]);
            erased.clear_below(before);
            assert_eq!(erased.first(), first, "before {before}");
        }
    }

    #[test]
    fn any_number_of_runs_takes_little_memory_and_hides_nothing() {
        let mut erased = missing_bodies((0..10_000).step_by(2));
        assert_eq!(erased.runs.len(), MAX_RANGES);
        erased.clear_below(9_998);
        assert_eq!(erased.first(), Some(9_998));
        erased.clear_below(9_999);
        assert_eq!(erased.first(), None);
    }
}
