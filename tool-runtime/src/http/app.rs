//! The state that every handler shares.

use std::sync::Arc;

use super::HttpConfig;
use super::access_records::{ReadQuota, read_quota};
use super::body::BodyQuota;
use super::list::Listing;
use super::metrics::Metrics;
use super::openapi::DocumentCache;
use super::quota::{Quota, half};
use super::rate::{Caller, RateLimiters};
use super::refusal_counts::RefusalCounts;
#[cfg(feature = "trace")]
use super::refusal_log::RefusalLog;
use super::unread::UnreadResponses;
use crate::Runtime;

/// The runtime, the configuration, and the limiters and counters of one router.
#[derive(Debug)]
pub(super) struct App {
    pub(super) runtime: Runtime,
    pub(super) config: HttpConfig,
    pub(super) listing: Listing,
    pub(super) metrics: Metrics,
    pub(super) documents: DocumentCache,
    pub(super) rates: RateLimiters,
    /// One unit for each call that has an effect.
    pub(super) tasks: Arc<Quota<Caller>>,
    pub(super) reads: Arc<ReadQuota>,
    /// One unit for each replay.
    pub(super) replays: Arc<Quota<Caller>>,
    /// One unit for each stream; separate from `tasks`, so that streams do not block writes.
    pub(super) streams: Arc<Quota<Caller>>,
    pub(super) body_quota: Arc<BodyQuota>,
    pub(super) unread: UnreadResponses,
    pub(super) refusal_counts: RefusalCounts,
    #[cfg(feature = "trace")]
    pub(super) refusals: RefusalLog,
}

/// The state that axum passes to each handler.
pub(super) type SharedApp = Arc<App>;

impl App {
    pub(super) fn new(runtime: Runtime, config: HttpConfig) -> Self {
        #[cfg(feature = "jwt")]
        let config = config.checking_token_keys();
        let (listing, metrics) = (Listing::of(&runtime), Metrics::of(&runtime));
        let documents = DocumentCache::default();
        let rates = RateLimiters::new(config.rates, &runtime);
        let bounds = &config.bounds;
        let places = |most: usize, of_caller: Option<usize>| {
            Arc::new(Quota::new(most, of_caller.unwrap_or(half(most))))
        };
        let tasks = places(bounds.tasks, bounds.tasks_of_caller);
        let replays = places(bounds.replays, bounds.replays_of_caller);
        let streams = places(bounds.streams, bounds.streams_of_caller);
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
            #[cfg(feature = "trace")]
            refusals: RefusalLog::default(),
        }
    }
}
