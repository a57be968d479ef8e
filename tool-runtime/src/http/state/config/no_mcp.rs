//! The configuration of the Model Context Protocol in builds without the feature `mcp`.

use std::convert::Infallible;

use crate::http::state::app::App;

/// The configuration of the protocol, which no router has.
pub(in crate::http) type McpSettings = Option<Infallible>;

/// Returns no parameter for a challenge.
pub(in crate::http) fn challenge_parameter(_: &App) -> Option<String> {
    None
}
