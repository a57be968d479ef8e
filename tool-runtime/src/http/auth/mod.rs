//! Who calls, how that is proven, and what they may do.

mod asker;
#[cfg(feature = "jwt")]
mod jwt;
mod keys;
pub(super) mod names;
mod principal;
mod scopes;
#[cfg(test)]
mod tests;
mod users;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};

pub use self::asker::Asker;
pub(super) use self::asker::Lookup;
#[cfg(all(test, feature = "jwt"))]
pub(super) use self::jwt::tests::issuer;
#[cfg(feature = "jwt")]
pub use self::jwt::{Jwks, JwksError, JwtConfigError, JwtVerifier, TokenSubject};
pub use self::keys::{ApiKey, ApiKeyError, ApiKeyHash, ApiKeySet, ApiKeys};
pub use self::principal::Principal;
pub use self::scopes::{Scope, Scopes, UnknownScope};
pub use self::users::Users;
use super::problem::Problem;
use crate::refusal_reason::RefusalReason;

/// Where an API key stands.
pub(super) const API_KEY: &str = "x-internal-api-key";

const TOKEN: &str = "Bearer";
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";
const KEY: &str = "ApiKey header=\"X-Internal-API-Key\"";

/// Says which ways there are for a caller to prove who it is.
///
/// There is no default: a server that lets anybody in has to say so.
///
/// | way | header |
/// | --- | --- |
/// | [`api_keys`](Self::api_keys) | `X-Internal-API-Key` |
/// | `jwt`, with the feature `jwt` | `Authorization: Bearer` |
///
/// A request that brings both has to bring two good ones of the same principal, and may do what both
/// grant: the host says that a key belongs to the sender of a token by
/// [`Principal::token_subject`]. One that brings a bad one is refused, whatever else it brings and whatever may be done
/// without proof. A header of a way that is not offered proves nothing and is not looked at.
///
/// # Examples
/// ```
/// use tool_runtime::http::{ApiKey, ApiKeySet, ApiKeys, Auth, Principal, Scopes};
///
/// let key = ApiKey::generate()?;
/// let orchestrator = Principal::trusted("orchestrator");
/// let keys = ApiKeys::new(ApiKeySet::new().with(key.hash(), orchestrator)?);
/// let auth = Auth::new().api_keys(&keys).anonymous("category:content".parse::<Scopes>()?);
/// # let _ = auth;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Auth {
    keys: Option<ApiKeys>,
    #[cfg(feature = "jwt")]
    tokens: Option<JwtVerifier>,
    unproven: Option<Principal>,
}

/// By what a caller proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Key,
    #[cfg_attr(not(feature = "jwt"), allow(dead_code, reason = "there are no tokens"))]
    Token,
}

/// Why nobody is known to have sent a request, and which credential of it is bad, if one is.
#[derive(Debug)]
pub(super) struct Unproven {
    pub(super) problem: Problem,
    pub(super) bad: Option<Way>,
}

impl Auth {
    /// Starts with no way at all: until one is added, every request is refused.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "who may call is never a matter of default")]
    pub fn new() -> Self {
        Self {
            keys: None,
            #[cfg(feature = "jwt")]
            tokens: None,
            unproven: None,
        }
    }

    /// Takes whoever reaches the server for this principal, without any proof.
    ///
    /// It is for development on one machine, and for a server behind a gateway that has proven who
    /// calls.
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
        Self { unproven: Some(principal.of_network()), ..Self::new() }
    }

    /// Admits the callers that bring one of these keys.
    #[must_use]
    pub fn api_keys(mut self, keys: &ApiKeys) -> Self {
        self.keys = Some(keys.clone());
        self
    }

    /// Admits the callers that bring a token which this verifier takes.
    #[cfg(feature = "jwt")]
    #[must_use]
    pub fn jwt(mut self, verifier: JwtVerifier) -> Self {
        self.tokens = Some(verifier);
        self
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

    /// Gives the principal of requests without a credential, if they are let in.
    pub(super) fn unproven(&self) -> Option<&Principal> {
        self.unproven.as_ref()
    }

    /// Gives the principals of this name as the API keys have them that are good now.
    pub(super) fn principals_with_keys(&self, name: &str) -> Vec<Principal> {
        self.keys.as_ref().map(|keys| keys.named(name)).unwrap_or_default()
    }

    /// Tells whether this request is let in without any proof: it brings nothing that is looked at.
    pub(super) fn takes_without_proof(&self, headers: &HeaderMap) -> bool {
        let brings_key = || self.takes_api_keys() && headers.contains_key(API_KEY);
        let brings_token = || self.takes_tokens() && headers.contains_key(AUTHORIZATION);
        self.lets_in_unproven() && !brings_key() && !brings_token()
    }

    /// Tells whether an API key proves who calls.
    pub(super) fn takes_api_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Gives what checks tokens, if something does.
    #[cfg(feature = "jwt")]
    pub(super) fn tokens(&self) -> Option<&JwtVerifier> {
        self.tokens.as_ref()
    }

    /// Tells whether a token proves who calls.
    #[cfg_attr(not(feature = "jwt"), allow(clippy::unused_self, reason = "there are no tokens"))]
    pub(super) fn takes_tokens(&self) -> bool {
        #[cfg(feature = "jwt")]
        let takes = self.tokens.is_some();
        #[cfg(not(feature = "jwt"))]
        let takes = false;
        takes
    }

    /// Tells whether the keys of tokens could not be read when it was last tried; none if there are
    /// no tokens.
    #[cfg_attr(not(feature = "jwt"), allow(clippy::unused_self, reason = "there are no tokens"))]
    pub(super) fn token_keys_fail(&self) -> Option<bool> {
        #[cfg(feature = "jwt")]
        let fail = self.tokens.as_ref().map(|tokens| tokens.key_failure().is_some());
        #[cfg(not(feature = "jwt"))]
        let fail = None;
        fail
    }

    /// Finds out who a request is from. Cancel-safe.
    #[cfg_attr(not(feature = "jwt"), allow(clippy::unused_async, reason = "keys wait for nothing"))]
    pub(super) async fn principal(&self, headers: &HeaderMap) -> Result<Principal, Unproven> {
        let by_key = self.by_key(headers).map_err(|problem| Unproven::by(Way::Key, problem))?;
        #[cfg(feature = "jwt")]
        let by_key = match (by_key, self.by_token(headers).await?) {
            (Some(one), Some(other)) => Some(one.and(&other).ok_or_else(two_callers)?),
            (one, other) => one.or(other),
        };
        by_key.or_else(|| self.unproven.clone()).ok_or_else(|| self.unknown().into())
    }

    /// Gives the token of a request, if there is one that is worth a look.
    pub(super) fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a [u8]> {
        let value = self.takes_tokens().then(|| only(headers, AUTHORIZATION.as_str()))?;
        value.ok().flatten().and_then(bearer)
    }

    /// Says which ways there are to prove who one is (RFC 9110, section 11.6.1); of a token that was
    /// sent and led to nothing, that it is why (RFC 6750, section 3.1).
    ///
    /// `ApiKey` is nobody's but many a server's scheme; the header that it names is where the key goes.
    pub(super) fn challenges(&self, headers: &HeaderMap) -> impl Iterator<Item = HeaderValue> {
        let token = if headers.contains_key(AUTHORIZATION) { INVALID_TOKEN } else { TOKEN };
        let ways = [(self.takes_tokens(), token), (self.takes_api_keys(), KEY)];
        ways.into_iter()
            .filter(|(is_taken, _)| *is_taken)
            .map(|(_, way)| HeaderValue::from_static(way))
    }

    fn by_key(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        let Some(keys) = &self.keys else { return Ok(None) };
        let Some(key) = only(headers, API_KEY)? else { return Ok(None) };
        keys.principal(key).map(Some).ok_or_else(|| {
            Problem::unauthorized("the API key is not a good one; send one that is in use")
        })
    }

    #[cfg(feature = "jwt")]
    async fn by_token(&self, headers: &HeaderMap) -> Result<Option<Principal>, Unproven> {
        use futures::FutureExt as _;

        use self::jwt::Refusal;

        let bad = |problem| Unproven::by(Way::Token, problem);
        let Some(tokens) = &self.tokens else { return Ok(None) };
        let value = only(headers, AUTHORIZATION.as_str()).map_err(bad)?;
        let Some(value) = value else { return Ok(None) };
        let token = bearer(value).ok_or_else(|| bad(bad_token()))?;
        // Those who prove themselves otherwise have no need to carry the room for a key's fetching.
        let proven = tokens.principal(token).boxed().await.map_err(|refusal| match refusal {
            Refusal::Invalid => bad(bad_token()),
            Refusal::NoKeys => no_token_keys().into(),
        })?;
        Ok(Some(proven.proven_by(Way::Token)))
    }

    /// Says how one could prove who one is.
    fn unknown(&self) -> Problem {
        Problem::unauthorized(match (self.takes_api_keys(), self.takes_tokens()) {
            (true, true) => {
                "nobody knows who calls; send an API key in `X-Internal-API-Key` or a token in \
                 `Authorization: Bearer`"
            }
            (true, false) => "nobody knows who calls; send an API key in `X-Internal-API-Key`",
            (false, true) => "nobody knows who calls; send a token in `Authorization: Bearer`",
            (false, false) => "this server admits nobody; its configuration has to say whom",
        })
    }
}

impl Unproven {
    fn by(way: Way, problem: Problem) -> Self {
        Self { problem, bad: Some(way) }
    }
}

impl From<Problem> for Unproven {
    fn from(problem: Problem) -> Self {
        Self { problem, bad: None }
    }
}

impl From<Unproven> for Problem {
    fn from(unproven: Unproven) -> Self {
        unproven.problem
    }
}

/// Gives a header that may stand once: of two, somebody else may have read the other.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a [u8]>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::unauthorized("a credential's header stands twice; send it once"));
    }
    Ok(first.map(HeaderValue::as_bytes))
}

/// Reads the token behind `Bearer`, in whichever case (RFC 6750, section 2.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

#[cfg(feature = "jwt")]
fn bad_token() -> Problem {
    Problem::unauthorized("the token is not a good one; get a new one from its issuer")
}

#[cfg(feature = "jwt")]
fn no_token_keys() -> Problem {
    use tool_contracts::ErrorCode;

    let message = "tokens cannot be checked for now; try again in a moment";
    Problem::of(ErrorCode::Unavailable, message).with_reason(RefusalReason::TokenKeys)
}

#[cfg(feature = "jwt")]
fn two_callers() -> Problem {
    Problem::unauthorized("the API key and the token are of different callers; send one of them")
}
