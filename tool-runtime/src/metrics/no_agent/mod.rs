//! The metrics of agents without the feature `agent`: there are none.

#[cfg(feature = "http")]
mod series;

use super::instruments::Meter;

/// The metrics of the agents of a runtime, which has none.
#[derive(Debug)]
pub(crate) struct AgentMetrics;

impl AgentMetrics {
    pub(super) fn new(_: Option<&Meter>) -> Self {
        Self
    }
}
