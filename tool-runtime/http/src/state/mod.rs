//! The state that all requests share: configuration, limits, counters and logs.

pub(super) mod app;
pub(super) mod byte_quotas;
pub(super) mod caller;
pub(super) mod config;
pub(super) mod drain;
pub(super) mod hosts;
pub(super) mod metrics;
pub(super) mod quota;
pub(super) mod rate;
pub(super) mod readiness;
pub(super) mod refusal_counts;
pub(super) mod refusal_log;
pub(super) mod server_counters;
pub(super) mod tool_caches;
