//! Limits invalid credentials by address, so that guessing is slow and valid credentials still
//! pass.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tool_runtime_core::Timer;
use tool_runtime_core::policy::{RateLimit, RateLimiter};

use super::limited;
use crate::auth::{AuthFailure, CredentialKind};
use crate::problem::Problem;
use crate::state::caller::Peer;

/// Counts invalid credentials by address and kind, and bounds what checking them costs.
///
/// A key costs one hash, so it is always checked: a valid key passes, whatever other clients of its
/// address send. A token costs a signature check. Above an address's allowance, its tokens are
/// checked from a shared reserve; when that is used up, only tokens that were valid before.
pub(super) struct CredentialLimiter {
    allowance: RateLimiter<(Peer, CredentialKind)>,
    /// The invalid tokens that are checked above their addresses' allowances, of all addresses.
    reserve: RateLimiter<()>,
    accepted: Cache<TokenFingerprint, ()>,
    hasher: RandomState,
}

/// A fingerprint of a token and its sender's address: 64 bits of a hash under a random key.
///
/// A match grants nothing but that the token's signature is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenFingerprint(u64);

/// The most invalid tokens a second that are checked above allowances.
pub(super) const RESERVE: u32 = 200;
/// The most valid tokens that are remembered.
const MAX_ACCEPTED: usize = 10_000;

impl CredentialLimiter {
    pub(super) fn new(allowance: RateLimit, timer: &Arc<dyn Timer>) -> Self {
        let reserve = RateLimit::per_second(RESERVE).expect("a few hundred are in range");
        Self {
            allowance: RateLimiter::new(allowance, Arc::clone(timer)),
            reserve: RateLimiter::new(reserve, Arc::clone(timer)),
            accepted: Cache::new(MAX_ACCEPTED),
            hasher: RandomState::new(),
        }
    }

    /// Returns the fingerprint of a token.
    pub(super) fn fingerprint(&self, peer: Peer, token: &[u8]) -> TokenFingerprint {
        TokenFingerprint(self.hasher.hash_one((peer, token)))
    }

    /// Refuses a token unchecked if its address's allowance and the reserve are used up.
    pub(super) fn admit(&self, peer: Peer, token: TokenFingerprint) -> Result<(), Problem> {
        if self.accepted.get(&token).is_some()
            || self.allowance.peek(&(peer, CredentialKind::Token)).is_ok()
        {
            return Ok(());
        }
        self.reserve.peek(&()).map_err(too_many)
    }

    /// Remembers a valid token.
    pub(super) fn record_accepted(&self, token: TokenFingerprint) {
        if self.accepted.get(&token).is_none() {
            self.accepted.insert(token, ());
        }
    }

    /// Counts an invalid credential and returns the problem for its sender.
    pub(super) fn record_rejected(
        &self,
        peer: Peer,
        token: Option<TokenFingerprint>,
        unproven: AuthFailure,
    ) -> Problem {
        let AuthFailure { problem, invalid: Some(kind) } = unproven else {
            return unproven.problem;
        };
        let token = token.filter(|_| kind == CredentialKind::Token);
        if let Some(token) = token {
            // The token has expired, or its key was revoked.
            self.accepted.remove(&token);
        }
        match self.allowance.check(&(peer, kind)) {
            Ok(()) => problem,
            Err(wait) => {
                // The result decides nothing now: `admit` looks at the reserve for the next token.
                let _ = token.map(|_| self.reserve.check(&()));
                too_many(wait)
            }
        }
    }
}

fn too_many(wait: Duration) -> Problem {
    limited("too many invalid credentials from this address; retry later", wait)
}
