//! What every handler needs.

use std::sync::Arc;

use super::HttpConfig;
use crate::Runtime;

/// The runtime, and how it is to be shown over HTTP.
#[derive(Debug)]
pub(super) struct App {
    pub(super) runtime: Runtime,
    pub(super) config: HttpConfig,
}

/// What axum hands to each handler.
pub(super) type Shared = Arc<App>;
