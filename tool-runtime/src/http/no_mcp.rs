//! The Model Context Protocol in builds without the feature `mcp`: no router serves it.

use std::convert::Infallible;

use axum::Router;

use crate::http::state::app::{App, SharedApp};

/// The configuration of the protocol, which no router has.
pub(in crate::http) type McpSettings = Option<Infallible>;

/// The paths of the protocol.
pub(in crate::http) const PATHS: [&str; 0] = [];

/// Returns no parameter for a challenge.
pub(in crate::http) fn challenge_parameter(_: &App) -> Option<String> {
    None
}

/// Adds nothing to a router.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is called as the feature's own is")]
pub(in crate::http) fn mounted(
    routes: Router<SharedApp>,
    _: &SharedApp,
    _: &McpSettings,
    _: usize,
) -> Router<SharedApp> {
    routes
}
