//! Rate limits by caller, by tenant and tool, and of failed authentications.

mod calls;
mod credentials;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use tool_contracts::ErrorCode;
use tool_runtime_core::Timer;
use tool_runtime_core::policy::{RateKey, RateLimit, RateLimiter};
use uuid::Uuid;

use self::calls::CallLimiters;
use self::credentials::CredentialLimiter;
use crate::auth::{Auth, Principal};
use crate::problem::Problem;
use crate::state::caller::Peer;

/// Rate limits of the HTTP server, which apply in addition to the rate limits of the runtime's policy.
///
/// By default each principal may make 1,000 requests a second with bursts of 2,000, and each
/// address may fail to authenticate ten times a minute, counted separately for keys and tokens. A
/// request above a limit is answered `429` with `Retry-After`.
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

/// The default limit of each principal, in requests a second.
const REQUESTS: u32 = 1_000;

/// The limiters of one server.
pub(crate) struct RateLimiters {
    calls: Option<CallLimiters>,
    /// By principal, or by address if the caller is not authenticated.
    requests: Option<SplitLimiter<Arc<str>, Peer>>,
    credentials: Option<CredentialLimiter>,
}

/// Two limiters with the same limit: one of authenticated callers, one of all others.
///
/// Anonymous callers may name any tenant and use many addresses. With a separate limiter they
/// neither use up the allowance of authenticated callers nor the memory of that limiter.
#[derive(Debug)]
struct SplitLimiter<K: RateKey, S: RateKey> {
    known: RateLimiter<K>,
    anonymous: RateLimiter<S>,
}

impl RateLimits {
    /// Limits requests and failed authentications as described above; calls of tools are not
    /// limited.
    #[expect(clippy::missing_panics_doc, reason = "the limits are in range")]
    pub fn new() -> Self {
        // A server whose host sets no limit has one too: else one caller could use all of it.
        let requests = RateLimit::per_second(REQUESTS).and_then(|limit| limit.burst(2 * REQUESTS));
        let requests = requests.expect("a thousand a second is in range");
        let failures = RateLimit::per_minute(10).expect("ten a minute is in range");
        Self { calls: None, requests: Some(requests), failures: Some(failures) }
    }

    /// Limits nothing: for a server behind a gateway that has limits, or for a load test.
    pub fn none() -> Self {
        Self { calls: None, requests: None, failures: None }
    }

    /// Limits how often each tenant calls each tool. Anonymous callers have a separate allowance
    /// for each tenant that they name.
    pub fn calls(mut self, limit: RateLimit) -> Self {
        self.calls = Some(limit);
        self
    }

    /// Limits the requests of each principal, counted before their bodies are read; by default
    /// 1,000 a second with bursts of 2,000. Anonymous callers are limited by address.
    pub fn requests(mut self, limit: RateLimit) -> Self {
        self.requests = Some(limit);
        self
    }

    /// Limits how often an address may send invalid credentials, counted separately for keys and
    /// tokens.
    ///
    /// Above the limit, an invalid credential is answered `429`. A valid one still passes, so that
    /// one client does not lock out others behind the same gateway. A key is always checked,
    /// because the check costs one hash. The signature of a token costs more: of addresses above
    /// their limit, 200 invalid tokens a second are checked in all; beyond that, a token is refused
    /// unchecked unless the same address has sent it successfully before.
    ///
    /// The address is that of the connection
    /// ([`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo)); behind a gateway it is the
    /// gateway's, and without it all requests share one allowance.
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

impl RateLimiters {
    pub(crate) fn new(limits: RateLimits, timer: &Arc<dyn Timer>) -> Self {
        let RateLimits { calls, requests, failures } = limits;
        Self {
            calls: calls.map(|limit| CallLimiters::new(limit, timer)),
            requests: requests.map(|limit| SplitLimiter::new(limit, timer)),
            credentials: failures.map(|limit| CredentialLimiter::new(limit, timer)),
        }
    }

    /// Authenticates a request. Cancel-safe.
    pub(crate) async fn authenticate(
        &self,
        auth: &Auth,
        parts: &Parts,
    ) -> Result<Principal, Problem> {
        let peer = Peer::from_parts(parts);
        match &self.credentials {
            Some(credentials) => {
                authenticate_limited(credentials, auth, peer, &parts.headers).await
            }
            None => Ok(auth.principal(&parts.headers).await?),
        }
    }

    /// Counts a call of a tenant; the runtime has the tool.
    pub(crate) fn call(
        &self,
        tool: &str,
        tenant: Uuid,
        principal: &Principal,
    ) -> Result<(), Problem> {
        let Some(calls) = &self.calls else { return Ok(()) };
        let limiters = calls.limiter_for(tool);
        let SplitLimiter { known, anonymous } = &*limiters;
        let limiter = if principal.is_anonymous() { anonymous } else { known };
        limiter.check(&tenant).map_err(|wait| {
            limited("the tenant has exceeded its rate limit for this tool; retry later", wait)
        })
    }

    /// Counts a request.
    pub(crate) fn request(&self, parts: &Parts, principal: &Principal) -> Result<(), Problem> {
        let peer = Peer::from_parts(parts);
        let Some(SplitLimiter { known, anonymous }) = &self.requests else { return Ok(()) };
        let counted = if principal.is_anonymous() {
            anonymous.check(&peer)
        } else {
            known.check(principal.id())
        };
        counted.map_err(|wait| {
            limited("the caller has exceeded its request rate limit; retry later", wait)
        })
    }
}

impl<K: RateKey, S: RateKey> SplitLimiter<K, S> {
    fn new(limit: RateLimit, timer: &Arc<dyn Timer>) -> Self {
        let [known, anonymous] = [timer, timer].map(Arc::clone);
        Self {
            known: RateLimiter::new(limit, known),
            anonymous: RateLimiter::new(limit, anonymous),
        }
    }
}

impl fmt::Debug for RateLimiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, requests, .. } = self;
        f.debug_struct("RateLimiters")
            .field("calls", calls)
            .field("requests", requests)
            .finish_non_exhaustive()
    }
}

/// Authenticates a request and counts an invalid credential.
async fn authenticate_limited(
    credentials: &CredentialLimiter,
    auth: &Auth,
    peer: Peer,
    headers: &HeaderMap,
) -> Result<Principal, Problem> {
    let token = auth.token(headers).map(|token| credentials.fingerprint(peer, token));
    token.map_or(Ok(()), |token| credentials.admit(peer, token))?;
    let proven = auth.principal(headers).await;
    if let (Ok(_), Some(token)) = (&proven, token) {
        credentials.record_accepted(token);
    }
    proven.map_err(|unproven| credentials.record_rejected(peer, token, unproven))
}

fn limited(message: &'static str, wait: Duration) -> Problem {
    Problem { retry_after: Some(wait), ..Problem::from_code(ErrorCode::RateLimited, message) }
}
