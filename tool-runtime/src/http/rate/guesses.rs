//! What is done about credentials that are not good: who guesses is slowed down, and no one else.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;

use super::{Peer, limited};
use crate::Timer;
use crate::http::auth::{Unproven, Way};
use crate::http::problem::Problem;
use crate::policy::{RateLimit, RateLimiter};

/// Counts bad credentials by address and way, and keeps an address that is above its allowance from
/// costing the server more than a look.
///
/// A key costs a hash, so that it is always looked at: a good one passes, whatever its neighbours
/// send. A token costs the check of a signature. Those of an address above its allowance are looked
/// at while few of them are bad; past that, only those that were good from there before.
pub(super) struct Guesses {
    allowance: RateLimiter<(Peer, Way)>,
    /// What bad tokens cost above their addresses' allowances, of all addresses together.
    reserve: RateLimiter<()>,
    good: Cache<TokenPrint, ()>,
    hasher: RandomState,
}

/// Stands for a token and the peer that sent it: 64 bits of a hash under a key that nobody knows.
///
/// It grants nothing but that the token is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenPrint(u64);

/// The most bad tokens a second that are looked at above allowances.
pub(super) const RESERVE: u32 = 200;
/// The most good tokens that are remembered.
const MOST_GOOD: usize = 10_000;

impl Guesses {
    pub(super) fn new(allowance: RateLimit, timer: &Arc<dyn Timer>) -> Self {
        let reserve = RateLimit::per_second(RESERVE).expect("a few hundred are in range");
        Self {
            allowance: RateLimiter::new(allowance, Arc::clone(timer)),
            reserve: RateLimiter::new(reserve, Arc::clone(timer)),
            good: Cache::new(MOST_GOOD),
            hasher: RandomState::new(),
        }
    }

    /// Makes what stands for a token here.
    pub(super) fn print(&self, peer: Peer, token: &[u8]) -> TokenPrint {
        TokenPrint(self.hasher.hash_one((peer, token)))
    }

    /// Refuses a token unread, where too many have cost too much.
    pub(super) fn admit(&self, peer: Peer, token: TokenPrint) -> Result<(), Problem> {
        if self.good.get(&token).is_some() || self.allowance.peek(&(peer, Way::Token)).is_ok() {
            return Ok(());
        }
        self.reserve.peek(&()).map_err(too_many)
    }

    /// Remembers a token that was good.
    pub(super) fn hit(&self, token: TokenPrint) {
        if self.good.get(&token).is_none() {
            self.good.insert(token, ());
        }
    }

    /// Counts a credential that was not good, and says what its sender is told.
    pub(super) fn missed(
        &self,
        peer: Peer,
        token: Option<TokenPrint>,
        unproven: Unproven,
    ) -> Problem {
        let Unproven { problem, bad: Some(way) } = unproven else { return unproven.problem };
        let token = token.filter(|_| way == Way::Token);
        if let Some(token) = token {
            // It has expired, or its key was taken back.
            self.good.remove(&token);
        }
        match self.allowance.check(&(peer, way)) {
            Ok(()) => problem,
            Err(wait) => {
                // Whether one more is looked at is asked when it comes.
                let _ = token.map(|_| self.reserve.check(&()));
                too_many(wait)
            }
        }
    }
}

fn too_many(wait: Duration) -> Problem {
    limited("too many credentials from this address were not good; wait a while", wait)
}
