//! Authenticates requests by their tokens.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use futures::FutureExt as _;
use tool_contracts::ErrorCode;
use tool_runtime_core::refusal_reason::RefusalReason;

use super::super::{
    Auth, AuthFailure, CredentialKind, Principal, TokenKeyCheck, bearer, single_header,
};
use super::{JwtVerifier, TokenError};
use crate::problem::Problem;

/// The verifier of a server's tokens, if it accepts tokens.
#[derive(Debug, Clone, Default)]
pub(in crate::auth) struct RequestTokens(Option<JwtVerifier>);

/// Tokens.
impl Auth {
    /// Admits callers with a token that this verifier accepts.
    #[must_use]
    pub fn jwt(mut self, verifier: JwtVerifier) -> Self {
        self.tokens = RequestTokens(Some(verifier));
        self
    }
}

impl RequestTokens {
    pub(in crate::auth) fn are_accepted(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the last attempt to read the keys failed; `None` without tokens.
    pub(in crate::auth) fn keys_fail(&self) -> Option<bool> {
        self.0.as_ref().map(|tokens| tokens.key_failure().is_some())
    }

    /// Returns the check whether the keys are available; `None` without tokens.
    pub(in crate::auth) fn key_check(&self) -> Option<TokenKeyCheck> {
        let verifier = self.0.clone()?;
        Some(Box::new(move || {
            let verifier = verifier.clone();
            async move { verifier.has_keys().await.then_some(()).ok_or(()) }.boxed()
        }))
    }

    /// Returns the principal of a request's token; `None` without one. Cancel-safe.
    pub(in crate::auth) async fn principal(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, AuthFailure> {
        let bad = |problem| AuthFailure::for_credential(CredentialKind::Token, problem);
        let Some(tokens) = &self.0 else { return Ok(None) };
        let value = single_header(headers, AUTHORIZATION.as_str()).map_err(bad)?;
        let Some(value) = value else { return Ok(None) };
        let token = bearer(value).ok_or_else(|| bad(invalid_token()))?;
        // Boxed, so that requests with an API key do not carry the size of this future.
        let proven = tokens.principal(token).boxed().await.map_err(|error| match error {
            TokenError::Invalid => bad(invalid_token()),
            TokenError::NoKeys => token_keys_unavailable().into(),
        })?;
        Ok(Some(proven.authenticated_by(CredentialKind::Token)))
    }
}

fn invalid_token() -> Problem {
    Problem::unauthorized("the token is not valid; get a new one from its issuer")
}

fn token_keys_unavailable() -> Problem {
    let message = "tokens cannot be verified now; retry later";
    Problem::from_code(ErrorCode::Unavailable, message).with_reason(RefusalReason::TokenKeys)
}
