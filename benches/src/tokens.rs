//! Errors of the estimate of tokens on texts, against exact counts.

use std::fs;

use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter, TokenEstimate};

/// Prints the counts of each file, and the mean, 95th percentile and largest error.
///
/// An error is the distance of an estimate from the exact count (`o200k_base`), as a share of the
/// exact count. `bytes4` is the usual rule of four bytes a token.
///
/// # Errors
/// Returns an error if a file cannot be read, is not UTF-8, or is empty.
pub fn figures(files: &[&str]) -> Result<(), String> {
    println!("{:<40} {:>8} {:>8} {:>7} {:>7}", "tokens", "exact", "estimate", "error", "bytes/4");
    let exact = ExactTokens::new(Encoding::O200kBase);
    let (mut estimates, mut bytes4) = (Vec::new(), Vec::new());
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let (count, estimate) = (exact.count(&text), TokenEstimate.count(&text));
        if count == 0 {
            return Err(format!("{file}: the file is empty"));
        }
        let errors = (error(estimate, count), error(text.len() as u64 / 4, count));
        let name = file.rsplit('/').next().unwrap_or(file);
        println!("{name:<40} {count:>8} {estimate:>8} {:>7.3} {:>7.3}", errors.0, errors.1);
        estimates.push(errors.0.abs());
        bytes4.push(errors.1.abs());
    }
    let (own, plain) = (Errors::of(estimates), Errors::of(bytes4));
    println!(
        "tokens: mean={:.3} p95={:.3} worst={:.3} bytes4_mean={:.3} bytes4_worst={:.3}",
        own.mean, own.p95, own.worst, plain.mean, plain.worst
    );
    Ok(())
}

/// Returns the distance of the estimate from the count, as a share of the count.
#[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
fn error(estimate: u64, count: u64) -> f64 {
    estimate as f64 / count as f64 - 1.0
}

/// Absolute errors of all files together.
struct Errors {
    mean: f64,
    p95: f64,
    worst: f64,
}

impl Errors {
    /// Summarizes the errors of at least one file.
    #[allow(clippy::cast_precision_loss, reason = "a mean of few files")]
    fn of(mut errors: Vec<f64>) -> Self {
        errors.sort_by(f64::total_cmp);
        let count = errors.len();
        // The smallest error that at least 95 % of the files do not exceed.
        let p95 = errors[(count * 95).div_ceil(100).saturating_sub(1)];
        Self { mean: errors.iter().sum::<f64>() / count as f64, p95, worst: errors[count - 1] }
    }
}
