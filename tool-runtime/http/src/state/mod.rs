//! The state that all requests share: configuration, limits, counters and logs.

pub(super) mod app;
pub(super) mod body_quota;
pub(super) mod caller;
pub(super) mod config;
pub(super) mod documents;
pub(super) mod drain;
pub(super) mod hosts;
pub(super) mod listing;
pub(super) mod logged_refusal;
pub(super) mod metrics;
pub(super) mod per_version;
pub(super) mod quota;
pub(super) mod rate;
pub(super) mod read_quota;
pub(super) mod readiness;
pub(super) mod refusal_counts;
#[cfg(feature = "trace")]
pub(super) mod refusal_log;
#[cfg(not(feature = "trace"))]
#[path = "no_refusal_log.rs"]
pub(super) mod refusal_log;
pub(super) mod server_counters;
pub(super) mod unread;
