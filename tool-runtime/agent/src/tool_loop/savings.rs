//! Counts what the compression of a loop's history saves, with and without the provider's cache.

use serde::{Deserialize, Serialize};

/// The tokens that compression saved in a loop.
///
/// A result that is compressed once is shorter in every later request, so the same token is saved in
/// each of them. A provider reads the unchanged beginning of a request from its cache for a share of
/// the price; a compaction changes earlier messages, and the messages after them are paid in full
/// once more.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct LoopSavings {
    /// The results that were compressed before they became messages.
    pub compressed_results: u32,
    /// The number of times that older rounds were compacted.
    pub compactions: u32,
    /// The tokens of input that were not sent, over all requests together.
    pub input_tokens: u64,
    /// The same in tokens at the full price: those that the cache would have had count by its share of
    /// the price, and what compactions lost of the cache is subtracted.
    pub net_input_tokens: f64,
}

/// Adds up the savings of a loop.
#[derive(Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SavingsMeter {
    compressed_results: u32,
    compactions: u32,
    /// By so much the next request is shorter than it would be.
    shorter_by: u64,
    /// The part of it that no request has had yet.
    new: u64,
    input_tokens: u64,
    /// The tokens that were saved in a request after their first one.
    repeated: u64,
    /// The tokens that were paid in full again.
    lost_cache: f64,
}

impl SavingsMeter {
    /// Adds a result that became shorter before it was sent.
    pub(super) fn add_result(&mut self, saved: u64) {
        self.compressed_results += 1;
        self.shorter_by += saved;
        self.new += saved;
    }

    /// Adds a compaction, after which so many tokens from its first change on are paid in full.
    pub(super) fn add_compaction(&mut self, saved: u64, rewritten: u64, cached_share: f64) {
        self.compactions += 1;
        self.shorter_by += saved;
        self.lost_cache += count(rewritten) * (1.0 - cached_share);
    }

    /// Adds a request to the model.
    pub(super) fn add_request(&mut self) {
        self.input_tokens += self.shorter_by;
        self.repeated += self.shorter_by - self.new;
        self.new = 0;
    }

    /// Returns whether a compaction saves more in the remaining turns than the lost cache costs.
    pub(super) fn pays(saved: u64, rewritten: u64, cached_share: f64, turns: u32) -> bool {
        let total_saving = count(saved) * cached_share * f64::from(turns);
        total_saving > count(rewritten) * (1.0 - cached_share)
    }

    pub(super) fn report(&self, cached_share: f64) -> LoopSavings {
        let first = self.input_tokens - self.repeated;
        LoopSavings {
            compressed_results: self.compressed_results,
            compactions: self.compactions,
            input_tokens: self.input_tokens,
            net_input_tokens: count(first) + count(self.repeated) * cached_share - self.lost_cache,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
fn count(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_token_counts_in_every_request_and_less_where_the_cache_had_it() {
        let mut meter = SavingsMeter::default();
        meter.add_result(100);
        for _ in 0..3 {
            meter.add_request();
        }
        let report = meter.report(0.1);
        assert_eq!((report.compressed_results, report.input_tokens), (1, 300));
        assert!(
            (report.net_input_tokens - 120.0).abs() < 1e-9,
            "100 once, and 10 twice: {report:?}"
        );
        assert!((meter.report(1.0).net_input_tokens - 300.0).abs() < 1e-9);
    }

    #[test]
    fn a_compaction_costs_the_cache_of_what_follows() {
        assert!(!SavingsMeter::pays(1_000, 500, 0.1, 4), "400 saved, 450 lost");
        assert!(SavingsMeter::pays(1_000, 500, 0.1, 5), "500 saved, 450 lost");
        assert!(SavingsMeter::pays(1, 500, 1.0, 1), "nothing is cached");
        let mut meter = SavingsMeter::default();
        meter.add_compaction(1_000, 500, 0.1);
        meter.add_request();
        let report = meter.report(0.1);
        assert_eq!((report.compactions, report.input_tokens), (1, 1_000));
        assert!((report.net_input_tokens + 350.0).abs() < 1e-9, "{report:?}");
    }
}
