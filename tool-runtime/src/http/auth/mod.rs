//! Who calls, how that is proven, and what they may do.

mod principal;
mod scopes;

use axum::http::HeaderMap;

pub use self::principal::Principal;
pub use self::scopes::{Scope, Scopes, UnknownScope};
use super::problem::Problem;

/// Says which ways there are for a caller to prove who it is.
///
/// There is no default: a server that lets anybody in has to say so.
#[derive(Debug, Clone)]
pub struct Auth {
    unproven: Option<Principal>,
}

impl Auth {
    /// Starts with no way at all: until one is added, every request is refused.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "who may call is never a matter of default")]
    pub fn new() -> Self {
        Self { unproven: None }
    }

    /// Takes whoever reaches the server for this principal, without any proof.
    ///
    /// It is for development on one machine, and for a server behind a gateway that has proven who
    /// calls. A request that brings a credential of a kind that is checked has to bring a good one.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::trusted("gateway")));
    /// # let _ = config;
    /// ```
    #[must_use]
    pub fn trusting_the_network_as(principal: Principal) -> Self {
        Self { unproven: Some(principal) }
    }

    /// Lets callers without any proof reach what these scopes allow and needs no known caller.
    ///
    /// They act for whichever tenant they name, so that of the scopes only those of tools hold:
    /// nobody unknown decides approvals or reads traces. A tool that says `requires_auth`, as all do
    /// that don't say otherwise, is never theirs.
    #[must_use]
    pub fn anonymous(mut self, scopes: Scopes) -> Self {
        self.unproven = Some(Principal::anonymous(scopes));
        self
    }

    /// Tells whether a request may come without any proof.
    pub(super) fn lets_in_unproven(&self) -> bool {
        self.unproven.is_some()
    }

    /// Tells whether an API key proves who calls.
    pub(super) fn takes_api_keys(&self) -> bool {
        false
    }

    /// Tells whether a token proves who calls.
    pub(super) fn takes_tokens(&self) -> bool {
        false
    }

    /// Finds out who a request is from. Cancel-safe.
    #[expect(clippy::unused_async, reason = "keys of tokens may have to be fetched")]
    pub(super) async fn principal(&self, _headers: &HeaderMap) -> Result<Principal, Problem> {
        self.unproven.clone().ok_or_else(|| Problem::unauthorized("expected an API key or a token"))
    }
}
