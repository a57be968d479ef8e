//! What every handler needs.

use std::sync::Arc;

use super::HttpConfig;
use super::accesses::ReadShares;
use super::body::Room;
use super::flood::RefusalCounts;
use super::list::Listing;
use super::metrics::Metrics;
use super::openapi::Documents;
use super::rate::{Caller, Rates};
#[cfg(feature = "trace")]
use super::refusals::RefusalLog;
use super::shares::{Shares, half};
use super::unread::UnreadAnswers;
use crate::Runtime;

/// The runtime, and how it is to be shown over HTTP.
#[derive(Debug)]
pub(super) struct App {
    pub(super) runtime: Runtime,
    pub(super) config: HttpConfig,
    pub(super) listing: Listing,
    pub(super) metrics: Metrics,
    pub(super) documents: Documents,
    pub(super) rates: Rates,
    /// A place a call that has an effect.
    pub(super) tasks: Arc<Shares<Caller>>,
    pub(super) reads: ReadShares,
    /// A place a replay.
    pub(super) replays: Arc<Shares<Caller>>,
    /// A place a stream: apart from those of tasks, so that streams keep no write from running.
    pub(super) streams: Arc<Shares<Caller>>,
    pub(super) room: Arc<Room>,
    pub(super) answers: UnreadAnswers,
    pub(super) refusal_counts: RefusalCounts,
    #[cfg(feature = "trace")]
    pub(super) refusals: RefusalLog,
}

/// What axum hands to each handler.
pub(super) type Shared = Arc<App>;

impl App {
    pub(super) fn new(runtime: Runtime, config: HttpConfig) -> Self {
        #[cfg(feature = "jwt")]
        let config = config.checking_token_keys();
        let (listing, metrics) = (Listing::of(&runtime), Metrics::of(&runtime));
        let documents = Documents::default();
        let rates = Rates::new(config.rates, &runtime);
        let bounds = &config.bounds;
        let places = |most: usize, of_caller: Option<usize>| {
            Arc::new(Shares::new(most, of_caller.unwrap_or(half(most))))
        };
        let tasks = places(bounds.tasks, bounds.tasks_of_caller);
        let replays = places(bounds.replays, bounds.replays_of_caller);
        let streams = places(bounds.streams, bounds.streams_of_caller);
        let (room, answers) = (Arc::new(bounds.room()), UnreadAnswers::new(bounds));
        let refusal_counts = RefusalCounts::new(config.ledger.as_ref(), &config.drain);
        Self {
            runtime,
            config,
            listing,
            metrics,
            documents,
            rates,
            tasks,
            reads: ReadShares::default(),
            replays,
            streams,
            room,
            answers,
            refusal_counts,
            #[cfg(feature = "trace")]
            refusals: RefusalLog::default(),
        }
    }
}
