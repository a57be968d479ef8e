//! The figures that `/metrics` reads.

use super::AgentMetrics;
use crate::metrics::agent_series::AgentSeries;

impl AgentMetrics {
    /// Returns the figures, of which none was counted.
    #[allow(clippy::unused_self, reason = "the metrics of the feature `agent` have figures")]
    pub(crate) fn series(&self) -> AgentSeries {
        AgentSeries::default()
    }
}
