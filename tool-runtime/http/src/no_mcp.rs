//! The Model Context Protocol in builds without the feature `mcp`: no router serves it.

use axum::Router;

use crate::state::app::SharedApp;
use crate::state::config::mcp::McpSettings;

/// The paths of the protocol.
pub(crate) const PATHS: [&str; 0] = [];

/// Adds nothing to a router.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is called as the feature's own is")]
pub(crate) fn mount(
    routes: Router<SharedApp>,
    _: &SharedApp,
    _: &McpSettings,
    _: usize,
) -> Router<SharedApp> {
    routes
}
