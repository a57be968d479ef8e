//! Measures the steps of a request.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::contracts::ContractError;
use crate::contracts::proxy::LatencyBreakdown;

/// The durations of the steps so far.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) tools: Duration,
    pub(super) context: Duration,
    pub(super) model: Duration,
    pub(super) output: Duration,
}

impl Steps {
    /// Divides the total; what no step took is the overhead.
    pub(super) fn breakdown(&self, total: Duration) -> Result<LatencyBreakdown, ContractError> {
        let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
        let known = self.tools + self.context + self.model + self.output;
        let overhead = total.saturating_sub(known);
        LatencyBreakdown::new(
            ms(self.tools),
            ms(self.context),
            ms(self.model),
            ms(self.output),
            ms(overhead),
        )
    }
}

/// Adds the time that a step takes.
pub(super) async fn timed<T>(step: &mut Duration, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let ended = work.await;
    *step += started.elapsed();
    ended
}
