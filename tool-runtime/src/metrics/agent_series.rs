//! The figures of agents by the values of their labels.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::AgentMetrics;
use super::calls::CallMetrics;
use super::distribution::Distribution;

/// The figures by the values of their labels.
#[derive(Debug, Default)]
pub(crate) struct AgentSeries {
    pub(crate) requests: BTreeMap<[&'static str; 2], u64>,
    pub(crate) request_times: BTreeMap<&'static str, Distribution>,
    pub(crate) step_times: BTreeMap<&'static str, Distribution>,
    pub(crate) context_tokens: BTreeMap<&'static str, u64>,
    pub(crate) runs: BTreeMap<[&'static str; 3], u64>,
    pub(crate) run_times: BTreeMap<&'static str, Distribution>,
    pub(crate) turns: u64,
    pub(crate) saved_tokens: u64,
    pub(crate) model_times: BTreeMap<(Arc<str>, &'static str), Distribution>,
    pub(crate) model_tokens: BTreeMap<(Arc<str>, &'static str), Distribution>,
}

impl CallMetrics {
    /// Returns the metrics of the agents.
    pub(crate) fn agents(&self) -> &AgentMetrics {
        &self.agents
    }
}
