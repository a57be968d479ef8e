//! The facts of a refused request that the log of refusals has.

use std::net::SocketAddr;

use crate::problem::Problem;

/// A refusal, with the facts of its request.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "only the log of the feature `trace` reads the facts")]
pub(crate) struct LoggedRefusal<'r> {
    pub(crate) problem: &'r Problem,
    pub(crate) peer: Option<SocketAddr>,
    /// The path template of the request.
    pub(crate) route: Option<&'r str>,
    pub(crate) principal: Option<&'r str>,
    pub(crate) trace_id: Option<&'r str>,
}
