//! How often a caller may ask, a tenant call a tool, and anybody guess a credential.

mod guesses;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use tool_contracts::ErrorCode;
use uuid::Uuid;

use self::guesses::Guesses;
use super::auth::{Auth, Principal};
use super::problem::Problem;
use crate::policy::principal::NETWORK;
use crate::policy::{RateKey, RateLimit, RateLimiter};
use crate::{Runtime, Timer};

/// How much is admitted over HTTP, beside what the runtime's policy says of a tool.
///
/// Unless it is said, a principal makes 1,000 requests a second, 2,000 at once, and failed
/// authentications are limited to ten a minute, address and way. A request above a limit is answered
/// `429` with `Retry-After`.
///
/// # Examples
/// ```
/// use tool_runtime::http::RateLimits;
/// use tool_runtime::policy::RateLimit;
///
/// let limits = RateLimits::new()
///     .calls(RateLimit::per_minute(60)?.burst(10)?)
///     .requests(RateLimit::per_second(50)?);
/// # let _ = limits;
/// # Ok::<(), tool_runtime::policy::OutOfRange>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct RateLimits {
    calls: Option<RateLimit>,
    requests: Option<RateLimit>,
    failures: Option<RateLimit>,
}

/// How many requests a second each principal makes unless the host sets another limit.
const REQUESTS: u32 = 1_000;

/// What has been used of the limits.
pub(super) struct Rates {
    /// By tool, whose names nobody but the runtime gives.
    calls: HashMap<Box<str>, Apart<Uuid, Uuid>>,
    /// By principal, and of those whom nobody knows by address.
    requests: Option<Apart<Arc<str>, Peer>>,
    guesses: Option<Guesses>,
}

/// One limit for callers who are known, and the same for strangers.
///
/// Strangers name whichever tenant they like and come from many addresses: they use up nobody's
/// allowance, and not the room in which those of others are remembered.
#[derive(Debug)]
struct Apart<K: RateKey, S: RateKey> {
    known: RateLimiter<K>,
    strangers: RateLimiter<S>,
}

/// The owner of what is counted by caller: a proven principal, and else an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    Known(Arc<str>),
    Unknown(Peer),
}

/// The other end of a connection, as far as one sender can be told from another.
///
/// Of IPv6 that is the first half, since whoever has one address there has all of the second. Where
/// nobody says it, all requests are of one peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Peer(Option<IpAddr>);

impl RateLimits {
    /// Limits requests and failed authentications, and no calls of single tools.
    pub fn new() -> Self {
        let requests = RateLimit::per_second(REQUESTS).and_then(|limit| limit.burst(2 * REQUESTS));
        Self { calls: None, requests: requests.ok(), failures: RateLimit::per_minute(10).ok() }
    }

    /// Limits nothing at all: for a server whose gateway counts requests, or for a test of load.
    pub fn none() -> Self {
        Self { calls: None, requests: None, failures: None }
    }

    /// Limits how often each tenant calls each tool. Callers whom nobody knows have an allowance of
    /// their own for each tenant that they name.
    pub fn calls(mut self, limit: RateLimit) -> Self {
        self.calls = Some(limit);
        self
    }

    /// Limits how many requests each principal makes, counted before their bodies are read; 1,000 a
    /// second and 2,000 at once unless it is said. Of those whom nobody knows, each address has an
    /// allowance.
    pub fn requests(mut self, limit: RateLimit) -> Self {
        self.requests = Some(limit);
        self
    }

    /// Limits how often an address sends credentials that are not good: keys and tokens apart.
    ///
    /// Above it, what is not good is answered `429`. What is good passes, so that nobody shuts out
    /// the others behind one gateway: a key always, since it costs no more than a hash and is too
    /// long to be guessed. The check of a token's signature costs more: above their allowances, all
    /// addresses together have 200 bad tokens a second looked at, and past that a token is refused
    /// unread, but those that were good from there before.
    ///
    /// The address is that of the connection
    /// ([`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo)); behind a gateway it is the
    /// gateway's, and without one all requests share an allowance.
    pub fn failed_authentications(mut self, limit: RateLimit) -> Self {
        self.failures = Some(limit);
        self
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self::new()
    }
}

impl Rates {
    pub(super) fn new(limits: RateLimits, runtime: &Runtime) -> Self {
        let tools = runtime.specs().map(|spec| spec.name().into());
        Self::of_tools(limits, tools, &runtime.shared_timer())
    }

    fn of_tools(
        limits: RateLimits,
        tools: impl Iterator<Item = Box<str>>,
        timer: &Arc<dyn Timer>,
    ) -> Self {
        let RateLimits { calls, requests, failures } = limits;
        let of_tool = |tool| Some((tool, Apart::new(calls?, timer)));
        Self {
            calls: tools.filter_map(of_tool).collect(),
            requests: requests.map(|limit| Apart::new(limit, timer)),
            guesses: failures.map(|limit| Guesses::new(limit, timer)),
        }
    }

    /// Finds out who a request is from. Cancel-safe.
    pub(super) async fn prove(&self, auth: &Auth, parts: &Parts) -> Result<Principal, Problem> {
        let peer = Peer::of(parts);
        match &self.guesses {
            Some(guesses) => guarded(guesses, auth, peer, &parts.headers).await,
            None => Ok(auth.principal(&parts.headers).await?),
        }
    }

    /// Counts a call of a tenant.
    pub(super) fn call(
        &self,
        tool: &str,
        tenant: Uuid,
        principal: &Principal,
    ) -> Result<(), Problem> {
        let Some(Apart { known, strangers }) = self.calls.get(tool) else { return Ok(()) };
        let limiter = if principal.is_anonymous() { strangers } else { known };
        limiter.check(&tenant).map_err(|wait| {
            limited("this tenant has called this tool too often; call it again later", wait)
        })
    }

    /// Counts a request.
    pub(super) fn request(&self, parts: &Parts, principal: &Principal) -> Result<(), Problem> {
        let peer = Peer::of(parts);
        let Some(Apart { known, strangers }) = &self.requests else { return Ok(()) };
        let counted = if principal.is_anonymous() {
            strangers.check(&peer)
        } else {
            known.check(principal.id())
        };
        counted.map_err(|wait| {
            limited("this caller has made too many requests; make the next one later", wait)
        })
    }
}

impl<K: RateKey, S: RateKey> Apart<K, S> {
    fn new(limit: RateLimit, timer: &Arc<dyn Timer>) -> Self {
        let [known, strangers] = [timer, timer].map(Arc::clone);
        Self {
            known: RateLimiter::new(limit, known),
            strangers: RateLimiter::new(limit, strangers),
        }
    }
}

impl Caller {
    pub(super) fn of(parts: &Parts, principal: &Principal) -> Self {
        if principal.is_anonymous() {
            Self::peer(parts)
        } else {
            Self::Known(Arc::clone(principal.id()))
        }
    }

    /// Makes the caller of a request that has proven nothing: its address.
    pub(super) fn peer(parts: &Parts) -> Self {
        Self::Unknown(Peer::of(parts))
    }

    /// Makes a caller of whom nothing is known, not even its address.
    pub(super) fn unknown() -> Self {
        Self::Unknown(Peer(None))
    }

    /// Returns the name of the principal, if it is proven.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Known(id) => Some(id.strip_prefix(NETWORK).unwrap_or(id)),
            Self::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
impl Caller {
    pub(super) fn known(name: &str) -> Self {
        Self::Known(name.into())
    }
}

impl Peer {
    fn of(parts: &Parts) -> Self {
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Self(address.map(|ConnectInfo(address)| network(address.ip())))
    }

    /// Makes the peer of an address.
    pub(super) fn at(address: IpAddr) -> Self {
        Self(Some(network(address)))
    }
}

impl fmt::Debug for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, requests, .. } = self;
        f.debug_struct("Rates")
            .field("calls", calls)
            .field("requests", requests)
            .finish_non_exhaustive()
    }
}

/// Finds out who a request is from, and counts what is not good in it.
async fn guarded(
    guesses: &Guesses,
    auth: &Auth,
    peer: Peer,
    headers: &HeaderMap,
) -> Result<Principal, Problem> {
    let token = auth.token(headers).map(|token| guesses.print(peer, token));
    token.map_or(Ok(()), |token| guesses.admit(peer, token))?;
    let proven = auth.principal(headers).await;
    if let (Ok(_), Some(token)) = (&proven, token) {
        guesses.hit(token);
    }
    proven.map_err(|unproven| guesses.missed(peer, token, unproven))
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

fn limited(message: &'static str, wait: Duration) -> Problem {
    Problem { retry_after: Some(wait), ..Problem::of(ErrorCode::RateLimited, message) }
}
