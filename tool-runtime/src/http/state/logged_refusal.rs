//! The facts of a refused request that the log of refusals has.

use std::net::SocketAddr;

use crate::http::problem::Problem;

/// A refusal, with the facts of its request.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "only the log of the feature `trace` reads the facts")]
pub(in crate::http) struct LoggedRefusal<'r> {
    pub(in crate::http) problem: &'r Problem,
    pub(in crate::http) peer: Option<SocketAddr>,
    /// The path template of the request.
    pub(in crate::http) route: Option<&'r str>,
    pub(in crate::http) principal: Option<&'r str>,
    pub(in crate::http) trace_id: Option<&'r str>,
}
