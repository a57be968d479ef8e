//! What every handler needs.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::HttpConfig;
use super::list::Listing;
use crate::Runtime;

/// The runtime, and how it is to be shown over HTTP.
#[derive(Debug)]
pub(super) struct App {
    pub(super) runtime: Runtime,
    pub(super) config: HttpConfig,
    pub(super) listing: Listing,
    /// A place a call in a task of its own.
    pub(super) tasks: Arc<Semaphore>,
}

/// What axum hands to each handler.
pub(super) type Shared = Arc<App>;

impl App {
    pub(super) fn new(runtime: Runtime, config: HttpConfig) -> Self {
        let listing = Listing::of(&runtime);
        let tasks = config.bounds.tasks.min(Semaphore::MAX_PERMITS);
        Self { runtime, config, listing, tasks: Arc::new(Semaphore::new(tasks)) }
    }
}
