//! The paths, and who answers them.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::HttpConfig;
use super::app::App;
use crate::Runtime;

/// Serves a runtime's tools: an [`axum::Router`] that can be nested under any path.
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {
    let app = Arc::new(App { runtime, config });
    Router::new().route("/healthz", get(|| async { "ok" })).with_state(app)
}
