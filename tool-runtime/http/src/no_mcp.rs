//! The Model Context Protocol in builds without the feature `mcp`: no router serves it.

use std::convert::Infallible;

use axum::Router;

use crate::state::app::{App, SharedApp};

/// The configuration of the protocol, which no router has.
pub(crate) type McpSettings = Option<Infallible>;

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

/// Returns no parameter for a challenge.
pub(crate) fn challenge_parameter(_: &App) -> Option<String> {
    None
}
