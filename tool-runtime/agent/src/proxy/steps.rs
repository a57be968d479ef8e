//! The steps of a request, and how long each took.

use std::future::Future;
use std::time::{Duration, Instant};

use super::observer::Observer;
use tool_contracts::ContractError;
use tool_contracts::proxy::LatencyBreakdown;

/// A step of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestStep {
    /// The required tools run.
    Tools,
    /// The context is compressed.
    Context,
    /// The model is asked, or the cache.
    Model,
    /// The answer is written.
    Output,
}

impl RequestStep {
    /// Returns the step's name in metrics.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Context => "context",
            Self::Model => "model",
            Self::Output => "output",
        }
    }
}

/// The durations of the steps so far.
#[derive(Debug)]
pub(super) struct Steps<'t> {
    observer: &'t Observer<'t>,
    took: [Duration; 4],
}

impl<'t> Steps<'t> {
    pub(super) fn new(observer: &'t Observer<'t>) -> Self {
        Self { observer, took: [Duration::ZERO; 4] }
    }

    /// Measures a step.
    pub(super) async fn timed<T>(&mut self, step: RequestStep, work: impl Future<Output = T>) -> T {
        let started = Instant::now();
        let output = work.await;
        let took = started.elapsed();
        self.took[step as usize] = took;
        self.observer.step_ended(step, took);
        output
    }

    /// Returns how long a step took.
    pub(super) const fn took(&self, step: RequestStep) -> Duration {
        self.took[step as usize]
    }

    /// Divides the total; what no step took is the overhead.
    pub(super) fn breakdown(&self, total: Duration) -> Result<LatencyBreakdown, ContractError> {
        let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
        let overhead = total.saturating_sub(self.took.iter().sum());
        let [tools, context, model, output] = self.took;
        LatencyBreakdown::new(ms(tools), ms(context), ms(model), ms(output), ms(overhead))
    }
}
