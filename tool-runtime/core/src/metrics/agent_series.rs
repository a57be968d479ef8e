//! The figures of agents by the values of their labels.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::AgentMetrics;
use super::calls::CallMetrics;
use super::distribution::Distribution;

/// The figures by the values of their labels.
#[derive(Debug, Default)]
pub struct AgentSeries {
    pub requests: BTreeMap<[&'static str; 2], u64>,
    pub request_times: BTreeMap<&'static str, Distribution>,
    pub step_times: BTreeMap<&'static str, Distribution>,
    pub context_tokens: BTreeMap<&'static str, u64>,
    pub runs: BTreeMap<[&'static str; 3], u64>,
    pub run_times: BTreeMap<&'static str, Distribution>,
    pub turns: u64,
    pub saved_tokens: u64,
    pub model_times: BTreeMap<(Arc<str>, &'static str), Distribution>,
    pub model_tokens: BTreeMap<(Arc<str>, &'static str), Distribution>,
}

impl CallMetrics {
    /// Returns the metrics of the agents.
    pub fn agents(&self) -> &AgentMetrics {
        &self.agents
    }
}
