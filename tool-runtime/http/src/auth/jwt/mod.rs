//! Verifies signed tokens (JWT, RFC 7519), by the best practices of RFC 8725.

mod claims;
mod jwks;
mod key_cache;
mod key_set;
mod request_tokens;
#[cfg(test)]
pub(super) mod tests;
#[cfg(feature = "jwks-url")]
mod url;

use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::crypto::aws_lc;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation};
use thiserror::Error;
use tool_contracts::has_hidden_characters;
use tool_runtime_core::log::log_event;

use self::claims::TokenClaims;
pub use self::jwks::{Jwks, JwksError};
use self::key_cache::KeyCache;
use self::key_set::{KeyLookup, KeySet};
pub(super) use self::request_tokens::RequestTokens;
use super::{Principal, Users};

const MAX_TOKEN_LENGTH: usize = 8 << 10;
const MAX_NAME_LENGTH: usize = 256;
const LEEWAY: Duration = Duration::from_secs(30);
const MAX_LEEWAY: Duration = Duration::from_secs(300);

/// Verifies the tokens of one issuer, which are sent in `Authorization: Bearer`.
///
/// A token is signed with RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 or `EdDSA`
/// (Ed25519), by a key of the issuer's set. The key determines the algorithm, never the token.
/// `iss`, `aud`, `exp` and `sub` are required; `nbf` is checked if present. Headers with a key
/// (`jwk`, `jku`, `x5c`, `x5u`) are ignored, and `crit` is refused.
///
/// The principal's name is `sub`, and so is its user, unless [`subjects`](Self::subjects) says that
/// the subjects are services. Its scopes are the known words of `scope` or `scp`; its tenants, by
/// UUID or slug, those of `tenants` or `tenant_id`.
///
/// # Examples
/// ```
/// use tool_runtime::http::{Auth, Jwks, JwtVerifier};
///
/// let keys = Jwks::file("/etc/tools/jwks.json");
/// let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools")?;
/// let auth = Auth::new().jwt(verifier.tenants_claim("organizations"));
/// # let _ = auth;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct JwtVerifier {
    key_cache: Arc<KeyCache>,
    validation: Validation,
    max_token_bytes: usize,
    tenants: TenantSource,
    subjects: TokenSubject,
}

/// The kind of subject (`sub`) of an issuer's tokens, which determines the users that it may name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenSubject {
    /// A person: the user of each of its calls is `sub`.
    #[default]
    Person,
    /// A service, which names no users.
    Service,
    /// A service that is trusted to name any user of its tenants.
    TrustedService,
}

/// The source of a token's tenants.
#[derive(Debug, Clone)]
enum TenantSource {
    Claim(Option<Box<str>>),
    Every,
}

/// The error for an invalid configuration of a verifier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwtConfigError {
    /// The issuer or the audience is empty, so every token signed by these keys would be accepted.
    #[error("the issuer and the audience must not be empty")]
    EmptyIssuerOrAudience,
    /// The leeway exceeds 5 min.
    #[error("the leeway must not exceed 5 min")]
    LeewayTooLong,
}

/// The failure to verify a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenError {
    Invalid,
    /// The issuer's keys are not available now.
    NoKeys,
}

impl JwtVerifier {
    /// Verifies tokens of this issuer (`iss`) for this audience (`aud`) with these keys.
    ///
    /// # Errors
    /// When the issuer or the audience is empty.
    pub fn new(
        keys: Jwks,
        issuer: impl Into<String>,
        audience: impl Into<String>,
    ) -> Result<Self, JwtConfigError> {
        let (issuer, audience) = (issuer.into(), audience.into());
        if issuer.trim().is_empty() || audience.trim().is_empty() {
            return Err(JwtConfigError::EmptyIssuerOrAudience);
        }
        // Another crate may enable a second crypto implementation, and then one has to be chosen. A
        // provider that was installed before stays.
        let _ = aws_lc::DEFAULT_PROVIDER.install_default();
        let mut validation = Validation::new(Algorithm::ES256);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY.as_secs();
        let tenants = TenantSource::Claim(None);
        let key_cache = Arc::new(KeyCache::new(keys));
        let subjects = TokenSubject::default();
        Ok(Self { key_cache, validation, max_token_bytes: MAX_TOKEN_LENGTH, tenants, subjects })
    }

    /// Accepts tokens for this audience too.
    pub fn add_audience(mut self, audience: impl Into<String>) -> Self {
        let audience = Some(audience.into()).filter(|audience| !audience.trim().is_empty());
        self.validation.aud.get_or_insert_default().extend(audience);
        self
    }

    /// Sets the tolerance for clock differences, in whole seconds; by default 30 s.
    ///
    /// # Errors
    /// When it is more than 5 min.
    pub fn leeway(mut self, time: Duration) -> Result<Self, JwtConfigError> {
        if time > MAX_LEEWAY {
            return Err(JwtConfigError::LeewayTooLong);
        }
        self.validation.leeway = time.as_secs();
        Ok(self)
    }

    /// Sets the maximum length of a token in bytes; by default 8 KiB.
    pub fn max_token_bytes(mut self, bytes: usize) -> Self {
        self.max_token_bytes = bytes;
        self
    }

    /// Reads the tenants only from this claim: a name, or an array of names.
    pub fn tenants_claim(mut self, claim: impl Into<Box<str>>) -> Self {
        self.tenants = TenantSource::Claim(Some(claim.into()));
        self
    }

    /// Grants every tenant, whatever the token's claims.
    pub fn for_every_tenant(mut self) -> Self {
        self.tenants = TenantSource::Every;
        self
    }

    /// Sets the kind of the tokens' subjects; by default persons.
    ///
    /// ```
    /// # use tool_runtime::http::{Jwks, JwtVerifier, TokenSubject};
    /// # let keys = Jwks::file("/etc/tools/jwks.json");
    /// let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools")?;
    /// let verifier = verifier.subjects(TokenSubject::Service);
    /// # let _ = verifier;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn subjects(mut self, subjects: TokenSubject) -> Self {
        self.subjects = subjects;
        self
    }

    /// Returns the error of the last attempt to read the keys, if it failed.
    #[must_use]
    pub fn key_failure(&self) -> Option<JwksError> {
        self.key_cache.failure()
    }

    /// Returns whether keys are available; reads them if there are none. Cancel-safe.
    pub(crate) async fn has_keys(&self) -> bool {
        self.key_cache.keys().await.is_some()
    }

    /// Verifies a token and returns its principal. Cancel-safe.
    pub(super) async fn principal(&self, token: &[u8]) -> Result<Principal, TokenError> {
        let header = self
            .header(token)
            .ok_or_else(|| refused("its header is unreadable, or of another kind"))?;
        let keys = self.keys(&header).await?;
        let KeyLookup::Key(key) = keys.find(header.kid.as_deref(), header.alg) else {
            return Err(refused("its key or algorithm is none of the issuer's"));
        };
        let mut validation = self.validation.clone();
        validation.algorithms = vec![header.alg];
        let data = jsonwebtoken::decode::<TokenClaims>(token, key, &validation);
        self.named(&data.map_err(|error| refused(fault(&error)))?.claims)
    }

    /// Reads the header of a token; `None` if the token cannot be valid.
    fn header(&self, token: &[u8]) -> Option<Header> {
        if token.len() > self.max_token_bytes {
            return None;
        }
        let header = jsonwebtoken::decode_header(token).ok()?;
        let is_short = header.kid.as_ref().is_none_or(|kid| kid.len() <= MAX_NAME_LENGTH);
        (header.crit.is_none() && is_short && is_access_token(&header) && is_asymmetric(header.alg))
            .then_some(header)
    }

    /// Returns the keys; reads them again if the token's key is not among them.
    async fn keys(&self, header: &Header) -> Result<Arc<KeySet>, TokenError> {
        let keys = self.key_cache.keys().await.ok_or(TokenError::NoKeys)?;
        if matches!(keys.find(header.kid.as_deref(), header.alg), KeyLookup::Unknown) {
            return self.key_cache.newer_keys().await.ok_or(TokenError::NoKeys);
        }
        Ok(keys)
    }

    fn named(&self, claims: &TokenClaims) -> Result<Principal, TokenError> {
        if claims.sub.trim().is_empty() || claims.sub.len() > MAX_NAME_LENGTH {
            return Err(refused("`sub` is empty or too long"));
        }
        // A `sub` is not cleaned: two subjects that look alike must not become one name.
        if has_hidden_characters(&claims.sub) || claims.sub.trim() != &*claims.sub {
            return Err(refused("`sub` has hidden characters or surrounding spaces"));
        }
        let principal = Principal::token_subject(claims.sub.clone()).with_scopes(claims.scopes());
        let principal = principal.with_users(match self.subjects {
            TokenSubject::Person => Users::Only(claims.sub.clone()),
            TokenSubject::Service => Users::None,
            TokenSubject::TrustedService => Users::OfItsTenants,
        });
        let allowances = claims.allowances().map_err(|_| refused("`allowances` cannot be read"))?;
        let principal = allowances.into_iter().fold(principal, Principal::with_allowance);
        Ok(match &self.tenants {
            TenantSource::Every => principal.for_every_tenant(),
            TenantSource::Claim(claim) => principal.for_tenants(claims.tenants(claim.as_deref())),
        })
    }
}

/// Refuses a token. The reason is only logged, because the sender may be guessing; at level
/// `debug`, because anonymous callers could flood a higher one.
fn refused(reason: &'static str) -> TokenError {
    log_event!(
        debug,
        target: "tool_runtime::http::auth::jwt",
        reason,
        "a token is refused",
    );
    TokenError::Invalid
}

/// Describes the fault of a token without any of its content.
fn fault(error: &jsonwebtoken::errors::Error) -> &'static str {
    match error.kind() {
        ErrorKind::ExpiredSignature => "token expired (`exp`)",
        ErrorKind::ImmatureSignature => "token not yet valid (`nbf`)",
        ErrorKind::InvalidIssuer => "`iss` is another issuer",
        ErrorKind::InvalidAudience => "`aud` is another audience",
        ErrorKind::MissingRequiredClaim(_) => "`exp`, `iss`, `aud` or `sub` is missing",
        ErrorKind::InvalidSignature => "signature mismatch",
        _ => "malformed or unsupported token",
    }
}

/// Returns whether `typ` is the type of an access token (RFC 8725, section 3.11).
fn is_access_token(header: &Header) -> bool {
    let kind = header.typ.as_deref().map(str::to_ascii_lowercase);
    let kind = kind.as_deref().map(|kind| kind.strip_prefix("application/").unwrap_or(kind));
    matches!(kind, None | Some("jwt" | "at+jwt"))
}

fn is_asymmetric(algorithm: Algorithm) -> bool {
    !matches!(algorithm, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512)
}
