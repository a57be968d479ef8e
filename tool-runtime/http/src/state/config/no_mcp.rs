//! The configuration of the Model Context Protocol in builds without the feature `mcp`.

use std::convert::Infallible;

use crate::state::app::App;

/// The configuration of the protocol, which no router has.
pub(crate) type McpSettings = Option<Infallible>;

/// Returns no parameter for a challenge.
pub(crate) fn challenge_parameter(_: &App) -> Option<String> {
    None
}
