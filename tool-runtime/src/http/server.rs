//! A router on a network: limits, slow clients, and an end that loses nothing.

use axum::Router;

use super::Drain;

/// Puts a router on a network.
#[derive(Debug)]
pub struct Server {
    app: Router,
    drain: Drain,
}

impl Server {
    /// Serves this router; the drain is the one of its configuration.
    #[must_use]
    pub fn new(app: Router, drain: Drain) -> Self {
        Self { app, drain }
    }
}
