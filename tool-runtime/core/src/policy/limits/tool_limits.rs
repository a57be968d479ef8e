//! The limits of a tool's calls, each counted in this replica alone or shared with the others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::concurrency::QueueFull;
use super::{ConcurrencyLimiter, ConcurrencyPermit, LimitShares, RateLimit, RateLimiter};
use crate::timer::Timer;

/// The rate of a tool's calls for each tenant.
#[derive(Debug)]
pub(crate) struct ToolRate {
    local: RateLimiter<Uuid>,
    shared: Option<SharedRate>,
}

#[derive(Debug)]
struct SharedRate {
    shares: Arc<LimitShares>,
    tool: Box<str>,
    limit: RateLimit,
}

impl ToolRate {
    pub(crate) fn new(
        limit: RateLimit,
        timer: Arc<dyn Timer>,
        tool: &str,
        with: Option<&Arc<LimitShares>>,
    ) -> Self {
        let shared =
            with.map(|shares| SharedRate { shares: shares.clone(), tool: tool.into(), limit });
        Self { local: RateLimiter::new(limit, timer), shared }
    }

    /// Counts a call of this tenant, or returns how long to wait. It waits only if this replica has no share.
    pub(super) async fn check(&self, tenant: Uuid) -> Result<(), Duration> {
        let local = || self.local.check(&tenant);
        match &self.shared {
            None => local(),
            Some(SharedRate { shares, tool, limit }) => {
                shares.check_rate(limit_key(RATE, tool, tenant), *limit, local).await
            }
        }
    }
}

/// A limit of concurrent calls.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimit {
    limiter: Arc<ConcurrencyLimiter>,
    shared: Option<(Arc<LimitShares>, Digest)>,
}

impl ConcurrencyLimit {
    /// Creates a limit of this many calls, which wait in a queue of that length; none without calls. `tool` is empty
    /// for the limit of all tools.
    pub(crate) fn new(
        permits: usize,
        queue: usize,
        tool: &str,
        shares: Option<&Arc<LimitShares>>,
    ) -> Option<Self> {
        let permits = std::num::NonZeroUsize::new(permits)?;
        let Some(shares) = shares else {
            return Some(Self {
                limiter: Arc::new(ConcurrencyLimiter::new(permits, queue)),
                shared: None,
            });
        };
        let key = limit_key(PERMITS, tool, Uuid::nil());
        let limiter = shares.limiter(key, u32::try_from(permits.get()).unwrap_or(u32::MAX), queue);
        Some(Self { limiter, shared: Some((shares.clone(), key)) })
    }

    /// Takes a permit, or waits for one in the queue.
    ///
    /// # Cancellation
    /// A dropped future leaves the queue.
    pub(super) async fn acquire(&self) -> Result<ConcurrencyPermit, QueueFull> {
        match &self.shared {
            None => self.limiter.acquire().await,
            Some((shares, key)) => shares.acquire(*key, &self.limiter).await,
        }
    }
}

/// The breakers of one tool in the other replicas.
#[derive(Debug, Clone)]
pub(crate) struct SharedBreakers {
    shares: Arc<LimitShares>,
    tool: Arc<str>,
}

impl SharedBreakers {
    pub(crate) fn new(shares: &Arc<LimitShares>, tool: &str) -> Self {
        Self { shares: shares.clone(), tool: tool.into() }
    }

    /// Returns the breaker of a tenant.
    pub(super) fn breaker(&self, tenant: Uuid) -> SharedBreaker {
        SharedBreaker { shares: self.shares.clone(), key: limit_key(BREAKER, &self.tool, tenant) }
    }
}

/// One breaker in the other replicas.
#[derive(Debug)]
pub(super) struct SharedBreaker {
    shares: Arc<LimitShares>,
    key: Digest,
}

impl SharedBreaker {
    pub(super) fn report_open(&self, until: Instant) {
        self.shares.report_open(self.key, until);
    }

    pub(super) fn open_until(&self) -> Option<Instant> {
        self.shares.open_until(&self.key)
    }
}

const RATE: &str = "tool-runtime/limit/v1/rate";
const PERMITS: &str = "tool-runtime/limit/v1/permits";
const BREAKER: &str = "tool-runtime/limit/v1/breaker";

/// Hashes the scope of a limit.
fn limit_key(kind: &str, tool: &str, tenant: Uuid) -> Digest {
    Digest::compute(kind, &[tenant.as_bytes(), tool.as_bytes()].concat())
}
