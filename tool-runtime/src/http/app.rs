//! What every handler needs.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::HttpConfig;
use super::body::Room;
use super::call::Streams;
use super::list::Listing;
use super::metrics::Metrics;
use super::openapi::Documents;
use super::rate::Rates;
#[cfg(feature = "trace")]
use super::refusals::RefusalLog;
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
    pub(super) tasks: Arc<Semaphore>,
    /// A place a replay.
    pub(super) replays: Semaphore,
    pub(super) streams: Arc<Streams>,
    pub(super) room: Arc<Room>,
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
        let places = |most: usize| Semaphore::new(most.min(Semaphore::MAX_PERMITS));
        let documents = Documents::default();
        let rates = Rates::new(config.rates, &runtime);
        let (tasks, replays) = (places(config.bounds.tasks), places(config.bounds.replays));
        let tasks = Arc::new(tasks);
        let streams = Arc::new(Streams::new(&config.bounds));
        let room = Arc::new(Room::new(&config.bounds));
        Self {
            runtime,
            config,
            listing,
            metrics,
            documents,
            rates,
            tasks,
            replays,
            streams,
            room,
            #[cfg(feature = "trace")]
            refusals: RefusalLog::default(),
        }
    }
}
