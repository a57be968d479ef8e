//! The state that every handler shares.

use std::sync::Arc;

use crate::Runtime;
use crate::http::state::body_quota::BodyQuota;
use crate::http::state::caller::Caller;
use crate::http::state::config::HttpConfig;
use crate::http::state::documents::DocumentCache;
use crate::http::state::listing::ToolListCache;
use crate::http::state::metrics::Metrics;
use crate::http::state::quota::{Quota, half};
use crate::http::state::rate::RateLimiters;
use crate::http::state::read_quota::{ReadQuota, read_quota};
use crate::http::state::refusal_counts::RefusalCounts;
use crate::http::state::refusal_log::RefusalLog;
use crate::http::state::unread::UnreadResponses;

/// The runtime, the configuration, and the limiters and counters of one router.
#[derive(Debug)]
pub(in crate::http) struct App {
    pub(in crate::http) runtime: Runtime,
    pub(in crate::http) config: HttpConfig,
    pub(in crate::http) listing: ToolListCache,
    pub(in crate::http) metrics: Metrics,
    pub(in crate::http) documents: DocumentCache,
    pub(in crate::http) rates: RateLimiters,
    /// One unit for each call that has an effect.
    pub(in crate::http) tasks: Arc<Quota<Caller>>,
    pub(in crate::http) reads: Arc<ReadQuota>,
    /// One unit for each replay.
    pub(in crate::http) replays: Arc<Quota<Caller>>,
    /// One unit for each stream; separate from `tasks`, so that streams do not block writes.
    pub(in crate::http) streams: Arc<Quota<Caller>>,
    pub(in crate::http) body_quota: Arc<BodyQuota>,
    pub(in crate::http) unread: UnreadResponses,
    pub(in crate::http) refusal_counts: RefusalCounts,
    pub(in crate::http) refusals: RefusalLog,
}

/// The state that axum passes to each handler.
pub(in crate::http) type SharedApp = Arc<App>;

impl App {
    /// Makes the state of a router; metrics count its routes by these labels.
    pub(in crate::http) fn new(
        runtime: Runtime,
        config: HttpConfig,
        routes: impl Iterator<Item = &'static str>,
    ) -> Self {
        let config = config.checking_token_keys();
        let (listing, metrics) =
            (ToolListCache::of(&runtime.tools().list()), Metrics::of(&runtime, routes));
        let documents = DocumentCache::default();
        let rates = RateLimiters::new(config.rates, &runtime.environment().timer);
        let bounds = &config.bounds;
        let quota = |limit: usize, of_caller: Option<usize>| {
            Arc::new(Quota::new(limit, of_caller.unwrap_or(half(limit))))
        };
        let tasks = quota(bounds.tasks, bounds.tasks_of_caller);
        let replays = quota(bounds.replays, bounds.replays_of_caller);
        let streams = quota(bounds.streams, bounds.streams_of_caller);
        let (body_quota, unread) = (Arc::new(bounds.body_quota()), UnreadResponses::new(bounds));
        let refusal_counts = RefusalCounts::new(config.ledger.as_ref(), &config.drain);
        Self {
            runtime,
            config,
            listing,
            metrics,
            documents,
            rates,
            tasks,
            reads: read_quota(),
            replays,
            streams,
            body_quota,
            unread,
            refusal_counts,
            refusals: RefusalLog::default(),
        }
    }
}
