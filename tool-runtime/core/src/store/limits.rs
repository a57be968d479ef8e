//! The trait of stores through which replicas share limits.

use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::StoreError;

/// Shares rates, permits of concurrent calls and open circuit breakers among replicas.
///
/// A replica holds a share of each limit that its calls use, so that a call needs no round trip. It exchanges what
/// it needs and what it has left over for new shares, some times a second while calls are made, and not at all
/// otherwise. All replicas have the same settings.
#[async_trait]
pub trait LimitStore: Send + Sync + 'static {
    /// Takes a report of one replica, and returns its shares.
    ///
    /// A rate's calls are counted when they are granted, so that all replicas together are granted no more than the
    /// rate allows; a replica may make what it was granted a little later. The permits of all replicas together are
    /// at most the limit: what one replica may use is reduced at its own exchange alone. If it may use fewer than are
    /// in use, these stay its own until it reports that they were released. A replica that has not reported for ten
    /// seconds has no permits.
    ///
    /// # Errors
    /// The store cannot be used; nothing was granted that counts.
    async fn exchange(&self, replica: Uuid, report: LimitReport)
    -> Result<LimitAnswer, StoreError>;

    /// Runs a task in the background until it ends. The task sleeps with the runtime's timer.
    fn spawn(&self, task: BoxFuture<'static, ()>);
}

/// The needs of a replica under each limit, and the shares that it gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct LimitReport {
    /// In the order of their keys.
    pub rates: Vec<RateReport>,
    /// In the order of their keys.
    pub permits: Vec<PermitReport>,
    /// The breakers that opened since the last report, in the order of their keys.
    pub opened: Vec<OpenBreaker>,
}

/// The needs of a replica under a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct RateReport {
    /// The limit: a hash of the tool and the tenant.
    pub key: Digest,
    /// The time in which one call more is allowed.
    pub interval: Duration,
    /// The calls that are allowed at once.
    pub burst: u32,
    /// The calls that it asks for.
    pub wanted: u32,
    /// The calls that it was granted and does not need.
    pub unused: u32,
}

/// The needs of a replica under a limit of concurrent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct PermitReport {
    /// The limit: a hash of the tool.
    pub key: Digest,
    /// The permits of all replicas together.
    pub permits: u32,
    /// The calls that run.
    pub in_use: u32,
    /// The calls that wait.
    pub waiting: u32,
}

/// A circuit breaker that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a store that does not know a part does not compile")]
pub struct OpenBreaker {
    /// The breaker: a hash of the tool and the tenant.
    pub key: Digest,
    /// The time until it lets probes through.
    pub left: Duration,
}

/// A replica's shares, in the order of its report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct LimitAnswer {
    /// For each rate of the report.
    pub rates: Vec<RateShare>,
    /// The permits that the replica may use, for each limit of the report.
    pub permits: Vec<u32>,
    /// All breakers that are open.
    pub open: Vec<OpenBreaker>,
}

/// A replica's share of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct RateShare {
    /// The calls that it may make.
    pub granted: u32,
    /// The time until the rate allows a call, if none was granted.
    pub wait: Duration,
}
