//! What every handler needs.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::HttpConfig;
use super::list::Listing;
use super::metrics::Metrics;
use super::openapi::Documents;
use super::rate::Rates;
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
    /// A place a call in a task of its own.
    pub(super) tasks: Arc<Semaphore>,
    /// A place a replay.
    pub(super) replays: Semaphore,
}

/// What axum hands to each handler.
pub(super) type Shared = Arc<App>;

impl App {
    pub(super) fn new(runtime: Runtime, config: HttpConfig) -> Self {
        let (listing, metrics) = (Listing::of(&runtime), Metrics::of(&runtime));
        let places = |most: usize| Semaphore::new(most.min(Semaphore::MAX_PERMITS));
        let documents = Documents::default();
        let rates = Rates::new(config.rates, &runtime);
        let (tasks, replays) = (places(config.bounds.tasks), places(config.bounds.replays));
        let tasks = Arc::new(tasks);
        Self { runtime, config, listing, metrics, documents, rates, tasks, replays }
    }
}
