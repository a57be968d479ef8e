//! How often a caller may ask, a tenant call a tool, and anybody guess a credential.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use quick_cache::sync::Cache;
use tool_contracts::ErrorCode;
use uuid::Uuid;

use super::auth::{Auth, Principal};
use super::problem::Problem;
use crate::policy::{RateLimit, RateLimiter};
use crate::{Runtime, Timer};

#[cfg(test)]
mod tests;

/// How much is admitted over HTTP, beside what the runtime's policy says of a tool.
///
/// Unless it is said, nothing is limited but failed authentications: ten a minute and address.
/// Whoever is above a limit is answered `429` with `Retry-After`.
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

/// What has been used of the limits.
pub(super) struct Rates {
    /// By tool, whose names nobody but the runtime gives.
    calls: HashMap<Box<str>, RateLimiter<OnBehalf>>,
    requests: Option<RateLimiter<Caller>>,
    failures: Option<RateLimiter<Peer>>,
    proven: Proven,
}

/// Who has an allowance of requests: whoever is known, and else an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Caller {
    Known(Arc<str>),
    Unknown(Peer),
}

/// For whom a tool is called, and whether by somebody who is known: strangers, who name whichever
/// tenant they like, use up no tenant's own allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct OnBehalf {
    tenant: Uuid,
    by_stranger: bool,
}

/// The other end of a connection, as far as one sender can be told from another.
///
/// Of IPv6 that is the first half, since whoever has one address there has all of the second. Where
/// nobody says it, all requests are of one peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Peer(Option<IpAddr>);

/// The credentials that were good lately, each with the peer that sent it.
///
/// They stay good while their peer has guessed too often, so that nobody shuts out the others behind
/// one gateway. Credentials themselves are not kept, but a keyed hash of 64 bits.
struct Proven {
    seen: Cache<u64, ()>,
    hasher: RandomState,
}

/// The most good credentials that are remembered.
const MOST_PROVEN: usize = 10_000;

impl RateLimits {
    /// Limits failed authentications alone.
    pub fn new() -> Self {
        Self { calls: None, requests: None, failures: RateLimit::per_minute(10).ok() }
    }

    /// Limits how often each tenant calls each tool. Callers whom nobody knows have an allowance of
    /// their own for each tenant that they name.
    pub fn calls(mut self, limit: RateLimit) -> Self {
        self.calls = Some(limit);
        self
    }

    /// Limits how many requests each principal makes, counted before their bodies are read. Of those
    /// whom nobody knows, each address has an allowance.
    pub fn requests(mut self, limit: RateLimit) -> Self {
        self.requests = Some(limit);
        self
    }

    /// Limits how often an address sends credentials that are not good, so that guessing is slow.
    ///
    /// Above it, credentials of that address are refused unread, but those that were good from there
    /// before. The address is that of the connection
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
        let of_tool = |tool| Some((tool, RateLimiter::new(calls?, Arc::clone(timer))));
        Self {
            calls: tools.filter_map(of_tool).collect(),
            requests: requests.map(|limit| RateLimiter::new(limit, Arc::clone(timer))),
            failures: failures.map(|limit| RateLimiter::new(limit, Arc::clone(timer))),
            proven: Proven { seen: Cache::new(MOST_PROVEN), hasher: RandomState::new() },
        }
    }

    /// Finds out who a request is from, and counts it. Cancel-safe.
    pub(super) async fn prove(&self, auth: &Auth, parts: &Parts) -> Result<Principal, Problem> {
        let peer = Peer::of(parts);
        let print = self.proven.print(peer, auth.credentials(&parts.headers));
        self.admit_guess(peer, print)?;
        let proven = auth.principal(&parts.headers).await;
        if let Some(print) = print {
            self.note(peer, print, &proven);
        }
        let principal = proven?;
        self.count(peer, &principal)?;
        Ok(principal)
    }

    /// Counts a call of a tenant.
    pub(super) fn call(
        &self,
        tool: &str,
        tenant: Uuid,
        principal: &Principal,
    ) -> Result<(), Problem> {
        let Some(limiter) = self.calls.get(tool) else { return Ok(()) };
        let caller = OnBehalf { tenant, by_stranger: principal.is_anonymous() };
        limiter.check(&caller).map_err(|wait| {
            limited("this tenant has called this tool too often; call it again later", wait)
        })
    }

    /// Refuses a credential whose sender has sent too many that were not good.
    fn admit_guess(&self, peer: Peer, print: Option<u64>) -> Result<(), Problem> {
        let (Some(failures), Some(print)) = (&self.failures, print) else { return Ok(()) };
        if self.proven.seen.get(&print).is_some() {
            return Ok(());
        }
        failures.peek(&peer).map_err(|wait| {
            limited("too many credentials from this address were not good; wait a while", wait)
        })
    }

    fn note(&self, peer: Peer, print: u64, proven: &Result<Principal, Problem>) {
        match proven {
            Ok(_) if self.proven.seen.get(&print).is_none() => self.proven.seen.insert(print, ()),
            Err(problem) if problem.code == ErrorCode::Unauthorized => {
                // The next one is asked before it is looked at.
                let _ = self.failures.as_ref().map(|failures| failures.check(&peer));
            }
            _ => {}
        }
    }

    fn count(&self, peer: Peer, principal: &Principal) -> Result<(), Problem> {
        let Some(requests) = &self.requests else { return Ok(()) };
        let caller = if principal.is_anonymous() {
            Caller::Unknown(peer)
        } else {
            Caller::Known(principal.key())
        };
        requests.check(&caller).map_err(|wait| {
            limited("this caller has made too many requests; make the next one later", wait)
        })
    }
}

impl Peer {
    fn of(parts: &Parts) -> Self {
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Self(address.map(|ConnectInfo(address)| network(address.ip())))
    }
}

impl Proven {
    /// Makes a number of what this peer sends to prove who it is, if it sends anything.
    fn print<'a>(&self, peer: Peer, credentials: impl Iterator<Item = &'a [u8]>) -> Option<u64> {
        let credentials: Vec<_> = credentials.collect();
        (!credentials.is_empty()).then(|| self.hasher.hash_one((peer, credentials)))
    }
}

impl fmt::Debug for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, requests, failures, .. } = self;
        f.debug_struct("Rates")
            .field("calls", calls)
            .field("requests", requests)
            .field("failures", failures)
            .finish_non_exhaustive()
    }
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
