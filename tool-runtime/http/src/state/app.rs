//! The state that every handler shares.

use std::sync::Arc;

use tool_runtime_core::Runtime;

use crate::state::byte_quotas::{BodyQuota, UnreadResponses};
use crate::state::caller::Caller;
use crate::state::config::HttpConfig;
use crate::state::metrics::Metrics;
use crate::state::quota::{Quota, half};
use crate::state::rate::RateLimiters;
use crate::state::refusal_counts::RefusalCounts;
use crate::state::refusal_log::RefusalLog;
use crate::state::tool_caches::{DocumentCache, ToolListCache};

/// The most reads of one principal at once, so that none uses up the ledger's queue of records.
const MAX_READS_PER_PRINCIPAL: usize = 16;

/// The runtime, the configuration, and the limiters and counters of one router.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) runtime: Runtime,
    pub(crate) config: HttpConfig,
    pub(crate) listing: ToolListCache,
    pub(crate) metrics: Metrics,
    pub(crate) documents: DocumentCache,
    pub(crate) rates: RateLimiters,
    /// One unit for each call that has an effect.
    pub(crate) tasks: Arc<Quota<Caller>>,
    /// One unit for each read of an inbox, a trace or evidence, by principal.
    pub(crate) reads: Arc<Quota<Arc<str>>>,
    /// One unit for each replay.
    pub(crate) replays: Arc<Quota<Caller>>,
    /// One unit for the verification of the ledger: it reads all of it.
    pub(crate) verifications: Arc<Quota<Caller>>,
    /// One unit for each stream; separate from `tasks`, so that streams do not block writes.
    pub(crate) streams: Arc<Quota<Caller>>,
    pub(crate) body_quota: Arc<BodyQuota>,
    pub(crate) unread: UnreadResponses,
    pub(crate) refusal_counts: RefusalCounts,
    pub(crate) refusals: RefusalLog,
}

/// The state that axum passes to each handler.
pub(crate) type SharedApp = Arc<App>;

impl App {
    /// Makes the state of a router; metrics count its routes by these labels.
    pub(crate) fn new(
        runtime: Runtime,
        config: HttpConfig,
        routes: impl Iterator<Item = &'static str>,
    ) -> Self {
        let config = config.checking_token_keys();
        let (listing, metrics) =
            (ToolListCache::new(&runtime.tools().list()), Metrics::new(&runtime, routes));
        let documents = DocumentCache::default();
        let rates = RateLimiters::new(config.rates, &runtime.environment().timer);
        let limits = &config.limits;
        let quota = |limit: usize, per_caller: Option<usize>| {
            Arc::new(Quota::new(limit, per_caller.unwrap_or(half(limit))))
        };
        let tasks = quota(limits.max_tasks, limits.max_tasks_per_caller);
        let replays = quota(limits.max_replays, limits.max_replays_per_caller);
        let streams = quota(limits.max_streams, limits.max_streams_per_caller);
        let (body_quota, unread) = (Arc::new(limits.body_quota()), UnreadResponses::new(limits));
        let refusal_counts = RefusalCounts::new(config.ledger.as_ref(), &config.drain);
        Self {
            runtime,
            config,
            listing,
            metrics,
            documents,
            rates,
            tasks,
            reads: Arc::new(Quota::new(usize::MAX, MAX_READS_PER_PRINCIPAL)),
            replays,
            verifications: Arc::new(Quota::new(1, 1)),
            streams,
            body_quota,
            unread,
            refusal_counts,
            refusals: RefusalLog::default(),
        }
    }
}
