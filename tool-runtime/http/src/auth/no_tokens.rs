//! A stub of the tokens of requests without the feature `jwt`: none is accepted.

use std::future::{Ready, ready};

use axum::http::HeaderMap;

use super::{AuthFailure, Principal, TokenKeyCheck};

/// No verifier of tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestTokens {}

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl RequestTokens {
    pub(super) fn are_accepted(self) -> bool {
        false
    }

    pub(super) fn keys_fail(self) -> Option<bool> {
        None
    }

    pub(super) fn key_check(self) -> Option<TokenKeyCheck> {
        None
    }

    pub(super) fn principal(self, _: &HeaderMap) -> Ready<Result<Option<Principal>, AuthFailure>> {
        ready(Ok(None))
    }
}
