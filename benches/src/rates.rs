//! Rates and ratios of measured rounds.

use std::time::Instant;

/// Returns the rate per second.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub(crate) fn rate(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}

/// The median of the rounds' ratios.
pub(crate) fn ratio(of: &[f64], over: &[f64]) -> f64 {
    median(&of.iter().zip(over).map(|(of, over)| of / over).collect::<Vec<_>>())
}

/// Returns the median.
pub(crate) fn median(rates: &[f64]) -> f64 {
    let mut rates = rates.to_vec();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}

/// Formats an error.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
