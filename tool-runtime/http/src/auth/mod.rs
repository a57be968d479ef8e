//! Authentication and authorization: credentials, principals and scopes.

#[cfg(feature = "jwt")]
mod jwt;
mod keys;
pub(super) mod names;
#[cfg(not(feature = "jwt"))]
mod no_tokens;
#[cfg(feature = "mcp")]
mod only_tenant;
mod principal;
mod requester;
mod scopes;
#[cfg(test)]
mod tests;
mod users;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use futures::future::BoxFuture;
use tool_runtime_core::log::log_event;

#[cfg(feature = "jwt")]
use self::jwt::RequestTokens;
#[cfg(all(test, feature = "jwt"))]
pub(crate) use self::jwt::tests::issuer;
#[cfg(feature = "jwt")]
pub use self::jwt::{Jwks, JwksError, JwtConfigError, JwtVerifier, TokenSubject};
pub use self::keys::{ApiKey, ApiKeyError, ApiKeyHash, ApiKeySet, ApiKeys};
#[cfg(not(feature = "jwt"))]
use self::no_tokens::RequestTokens;
pub use self::principal::Principal;
pub use self::requester::Requester;
pub(crate) use self::requester::{Lookup, LookupError};
pub use self::scopes::{Scope, Scopes, UnknownScope};
pub use self::users::Users;
use crate::problem::Problem;

/// The header of an API key.
pub(crate) const API_KEY: &str = "x-internal-api-key";

const TOKEN: &str = "Bearer";
const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";
const KEY: &str = "ApiKey header=\"X-Internal-API-Key\"";

/// The ways in which a server authenticates its callers.
///
/// There is no default: a server that admits callers without a credential has to say so.
///
/// | way | header |
/// | --- | --- |
/// | [`api_keys`](Self::api_keys) | `X-Internal-API-Key` |
/// | `jwt`, with the feature `jwt` | `Authorization: Bearer` |
///
/// A request with both credentials needs two valid ones of the same principal, and may do what both
/// grant; [`Principal::token_subject`] gives a key the principal of a token. A request with an
/// invalid credential is refused, even if it has a valid one too or if anonymous callers are
/// admitted. A header of a kind that is not configured is ignored; the log warns once of the first
/// API key that is.
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
    tokens: RequestTokens,
    default_principal: Option<Principal>,
    /// Set once a warning says that credentials of requests are ignored.
    has_warned: Arc<AtomicBool>,
}

/// A check whether the keys of tokens are available.
pub(super) type TokenKeyCheck = Box<dyn Fn() -> BoxFuture<'static, Result<(), ()>> + Send + Sync>;

/// The kind of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CredentialKind {
    Key,
    Token,
}

/// The failure to authenticate a request, with the kind of its invalid credential if it has one.
#[derive(Debug)]
pub(crate) struct AuthFailure {
    pub(crate) problem: Problem,
    pub(crate) invalid: Option<CredentialKind>,
}

impl Auth {
    /// Starts without any kind: until one is added, every request is refused.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "authentication has no default")]
    pub fn new() -> Self {
        Self {
            keys: None,
            tokens: RequestTokens::default(),
            default_principal: None,
            has_warned: Arc::default(),
        }
    }

    /// Treats every request without a credential as one of this principal.
    ///
    /// It is for development on one machine, and for a server behind a gateway that authenticates
    /// callers.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("gateway")));
    /// # let _ = config;
    /// ```
    #[must_use]
    pub fn unauthenticated_as(principal: Principal) -> Self {
        Self { default_principal: Some(principal.with_network_kind()), ..Self::new() }
    }

    /// Admits callers with one of these keys.
    #[must_use]
    pub fn api_keys(mut self, keys: &ApiKeys) -> Self {
        self.keys = Some(keys.clone());
        self
    }

    /// Admits callers without a credential, for the tools that these scopes cover.
    ///
    /// An anonymous caller may name any tenant, so only the scopes of tools apply: it cannot decide
    /// approvals or read traces. It cannot call a tool with `requires_auth`, which is the default
    /// of a tool.
    #[must_use]
    pub fn anonymous(mut self, scopes: Scopes) -> Self {
        self.default_principal = Some(Principal::anonymous(scopes));
        self
    }

    /// Returns whether requests without a credential are admitted.
    pub(crate) fn admits_anonymous(&self) -> bool {
        self.default_principal.is_some()
    }

    /// Returns the principal of requests without a credential, if they are admitted.
    pub(crate) fn default_principal(&self) -> Option<&Principal> {
        self.default_principal.as_ref()
    }

    /// Returns the principals with this name that have a valid API key.
    pub(crate) fn principals_with_keys(&self, name: &str) -> Vec<Principal> {
        self.keys.as_ref().map(|keys| keys.named(name)).unwrap_or_default()
    }

    /// Returns whether this request is admitted without a credential: it has none that is checked.
    pub(crate) fn admits_without_credential(&self, headers: &HeaderMap) -> bool {
        let brings_key = || self.takes_api_keys() && headers.contains_key(API_KEY);
        let brings_token = || self.takes_tokens() && headers.contains_key(AUTHORIZATION);
        self.admits_anonymous() && !brings_key() && !brings_token()
    }

    /// Returns whether API keys are accepted.
    pub(crate) fn takes_api_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Returns whether tokens are accepted.
    pub(crate) fn takes_tokens(&self) -> bool {
        self.tokens.are_accepted()
    }

    /// Returns whether the last attempt to read the keys of tokens failed; `None` without tokens.
    pub(crate) fn token_keys_fail(&self) -> Option<bool> {
        self.tokens.keys_fail()
    }

    /// Returns the check whether the keys of tokens are available; `None` without tokens.
    pub(crate) fn token_key_check(&self) -> Option<TokenKeyCheck> {
        self.tokens.key_check()
    }

    /// Authenticates a request. Cancel-safe.
    pub(crate) async fn principal(&self, headers: &HeaderMap) -> Result<Principal, AuthFailure> {
        self.warn_of_ignored_key(headers);
        let by_key = self
            .by_key(headers)
            .map_err(|problem| AuthFailure::for_credential(CredentialKind::Key, problem))?;
        let principal = match (by_key, self.tokens.principal(headers).await?) {
            (Some(one), Some(other)) => {
                Some(one.joined_with(&other).ok_or_else(different_principals)?)
            }
            (one, other) => one.or(other),
        };
        principal
            .or_else(|| self.default_principal.clone())
            .ok_or_else(|| self.missing_credential().into())
    }

    /// Warns once that a client sends an API key to a server that checks none.
    fn warn_of_ignored_key(&self, headers: &HeaderMap) {
        let is_ignored = !self.takes_api_keys() && headers.contains_key(API_KEY);
        if is_ignored && !self.has_warned.swap(true, Ordering::Relaxed) {
            log_event!(
                warn,
                target: tool_runtime_core::trace::conventions::TARGET,
                event = "api_key_ignored",
                "a request has an API key, and this server has no keys: it was not checked",
            );
        }
    }

    /// Returns the bearer token of a request, if tokens are accepted.
    pub(crate) fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a [u8]> {
        let value = self.takes_tokens().then(|| single_header(headers, AUTHORIZATION.as_str()))?;
        value.ok().flatten().and_then(bearer)
    }

    /// Returns the `WWW-Authenticate` challenges (RFC 9110, section 11.6.1), with `invalid_token`
    /// if the request had a token (RFC 6750, section 3.1).
    ///
    /// The scheme `ApiKey` is not registered, but several servers use it; it names the key's
    /// header.
    pub(crate) fn challenges(&self, had_token: bool) -> impl Iterator<Item = HeaderValue> + use<> {
        let token = if had_token { INVALID_TOKEN } else { TOKEN };
        let ways = [(self.takes_tokens(), token), (self.takes_api_keys(), KEY)];
        ways.into_iter()
            .filter(|(is_taken, _)| *is_taken)
            .map(|(_, kind)| HeaderValue::from_static(kind))
    }

    fn by_key(&self, headers: &HeaderMap) -> Result<Option<Principal>, Problem> {
        let Some(keys) = &self.keys else { return Ok(None) };
        let Some(key) = single_header(headers, API_KEY)? else { return Ok(None) };
        keys.principal(key).map(Some).ok_or_else(|| {
            Problem::unauthorized("the API key is not valid; send a key that is in use")
        })
    }

    /// Returns the problem of a request without a credential.
    fn missing_credential(&self) -> Problem {
        Problem::unauthorized(match (self.takes_api_keys(), self.takes_tokens()) {
            (true, true) => {
                "the request has no credential; send an API key in `X-Internal-API-Key` or a token \
                 in `Authorization: Bearer`"
            }
            (true, false) => {
                "the request has no credential; send an API key in `X-Internal-API-Key`"
            }
            (false, true) => {
                "the request has no credential; send a token in `Authorization: Bearer`"
            }
            (false, false) => "this server has no authentication configured; add keys or tokens",
        })
    }
}

impl AuthFailure {
    fn for_credential(kind: CredentialKind, problem: Problem) -> Self {
        Self { problem, invalid: Some(kind) }
    }
}

impl From<Problem> for AuthFailure {
    fn from(problem: Problem) -> Self {
        Self { problem, invalid: None }
    }
}

impl From<AuthFailure> for Problem {
    fn from(unproven: AuthFailure) -> Self {
        unproven.problem
    }
}

/// Returns a header that may occur once. Of two, a proxy may have checked the other one.
fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a [u8]>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::unauthorized("a credential's header occurs twice; send it once"));
    }
    Ok(first.map(HeaderValue::as_bytes))
}

/// Reads the token after `Bearer`, which is case-insensitive (RFC 6750, section 2.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

fn different_principals() -> Problem {
    Problem::unauthorized(
        "the API key and the token belong to different principals; send one of them",
    )
}
