//! Services that prove who they are by a signed token (RFC 7519, by the practices of RFC 8725).

mod claims;
mod jwks;
mod keeping;
mod key_set;
#[cfg(test)]
pub(super) mod tests;

use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::crypto::aws_lc;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation};
use thiserror::Error;
use tool_contracts::has_hidden_characters;

use self::claims::Claims;
pub use self::jwks::{Jwks, JwksError};
use self::keeping::Keeper;
use self::key_set::{Found, KeySet};
use super::{Principal, Users};

const LONGEST_TOKEN: usize = 8 << 10;
const LONGEST_NAME: usize = 256;
const LEEWAY: Duration = Duration::from_secs(30);
const LONGEST_LEEWAY: Duration = Duration::from_secs(300);

/// Checks the tokens of one issuer, as they stand in `Authorization: Bearer`.
///
/// A token is signed with RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 or `EdDSA` (Ed25519),
/// by a key of the issuer's set. The key says the algorithm, never the token. It has the issuer, the
/// audience, an end (`exp`) and a subject; a beginning (`nbf`) holds too. Headers that bring a key
/// of their own (`jwk`, `jku`, `x5c`, `x5u`) decide nothing, and `crit` is refused.
///
/// The principal's name is `sub`, and its user too, unless [`subjects`](Self::subjects) says that
/// these are services; its scopes are the words of `scope` or `scp` that mean something
/// here; its tenants, by UUID or slug, those of `tenants` or `tenant_id`.
///
/// # Examples
/// ```
/// use tool_runtime::http::{Auth, Jwks, JwtVerifier};
///
/// let keys = Jwks::url("https://issuer.example/.well-known/jwks.json")?;
/// let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools")?;
/// let auth = Auth::new().jwt(verifier.tenants_claim("organizations"));
/// # let _ = auth;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct JwtVerifier {
    keeper: Arc<Keeper>,
    validation: Validation,
    longest: usize,
    tenants: TenantsOf,
    subjects: TokenSubject,
}

/// What the subject (`sub`) of an issuer's tokens is, and so which users it may name.
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

/// How a token says for whom its sender acts.
#[derive(Debug, Clone)]
enum TenantsOf {
    Claim(Option<Box<str>>),
    Everybody,
}

/// Says why tokens cannot be checked so.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwtConfigError {
    /// Every token would be admitted that anybody signs with these keys.
    #[error("expected an issuer and an audience that tokens have to name")]
    Unnamed,
    /// Tokens would hold long after their end.
    #[error("the leeway of a token's times is at most 5 min")]
    Leeway,
}

/// Why a token leads to no principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Invalid,
    /// There are no keys to check it with, for now.
    NoKeys,
}

impl JwtVerifier {
    /// Checks tokens of this issuer (`iss`) for this audience (`aud`) by these keys.
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
            return Err(JwtConfigError::Unnamed);
        }
        // Another crate may have turned on a second implementation, between which somebody has to
        // choose; a choice that was made before stays.
        let _ = aws_lc::DEFAULT_PROVIDER.install_default();
        let mut validation = Validation::new(Algorithm::ES256);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY.as_secs();
        let tenants = TenantsOf::Claim(None);
        let keeper = Arc::new(Keeper::new(keys));
        let subjects = TokenSubject::default();
        Ok(Self { keeper, validation, longest: LONGEST_TOKEN, tenants, subjects })
    }

    /// Admits tokens for this audience too.
    pub fn also_for(mut self, audience: impl Into<String>) -> Self {
        let audience = Some(audience.into()).filter(|audience| !audience.trim().is_empty());
        self.validation.aud.get_or_insert_default().extend(audience);
        self
    }

    /// Sets by how much the issuer's clock may be wrong: 30 s unless it is said, in whole seconds.
    ///
    /// # Errors
    /// When it is more than 5 min.
    pub fn leeway(mut self, time: Duration) -> Result<Self, JwtConfigError> {
        if time > LONGEST_LEEWAY {
            return Err(JwtConfigError::Leeway);
        }
        self.validation.leeway = time.as_secs();
        Ok(self)
    }

    /// Sets how many bytes a token may have: 8 KiB unless it is said.
    pub fn longest_token(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Reads the tenants from this claim alone: a name, or an array of them.
    pub fn tenants_claim(mut self, claim: impl Into<Box<str>>) -> Self {
        self.tenants = TenantsOf::Claim(Some(claim.into()));
        self
    }

    /// Lets every sender act for whichever tenant it names, whatever its token says of that.
    pub fn for_every_tenant(mut self) -> Self {
        self.tenants = TenantsOf::Everybody;
        self
    }

    /// Sets what the senders of these tokens are: people unless it is said.
    ///
    /// ```
    /// # use tool_runtime::http::{Jwks, JwtVerifier, TokenSubject};
    /// # let keys = Jwks::url("https://issuer.example/jwks.json")?;
    /// let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools")?;
    /// let verifier = verifier.subjects(TokenSubject::Service);
    /// # let _ = verifier;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn subjects(mut self, subjects: TokenSubject) -> Self {
        self.subjects = subjects;
        self
    }

    /// Says why the keys could not be read when it was last tried, if they could not.
    #[must_use]
    pub fn key_failure(&self) -> Option<JwksError> {
        self.keeper.failure()
    }

    /// Tells whether there are keys to check tokens with; reads them where there are none. Cancel-safe.
    pub(in crate::http) async fn has_keys(&self) -> bool {
        self.keeper.keys().await.is_some()
    }

    /// Finds out whose token it is. Cancel-safe.
    pub(super) async fn principal(&self, token: &[u8]) -> Result<Principal, Refusal> {
        let header = self
            .header(token)
            .ok_or_else(|| refused("its header is unreadable, or of another kind"))?;
        let keys = self.keys(&header).await?;
        let Found::Key(key) = keys.find(header.kid.as_deref(), header.alg) else {
            return Err(refused("its key or algorithm is none of the issuer's"));
        };
        let mut validation = self.validation.clone();
        validation.algorithms = vec![header.alg];
        let data = jsonwebtoken::decode::<Claims>(token, key, &validation);
        self.named(&data.map_err(|error| refused(fault(&error)))?.claims)
    }

    /// Reads the header of a token that is worth a look at keys.
    fn header(&self, token: &[u8]) -> Option<Header> {
        if token.len() > self.longest {
            return None;
        }
        let header = jsonwebtoken::decode_header(token).ok()?;
        let is_short = header.kid.as_ref().is_none_or(|kid| kid.len() <= LONGEST_NAME);
        (header.crit.is_none() && is_short && is_access_token(&header) && is_asymmetric(header.alg))
            .then_some(header)
    }

    /// Gives the keys, newer ones where a token names one that is not among them.
    async fn keys(&self, header: &Header) -> Result<Arc<KeySet>, Refusal> {
        let keys = self.keeper.keys().await.ok_or(Refusal::NoKeys)?;
        if matches!(keys.find(header.kid.as_deref(), header.alg), Found::Unknown) {
            return self.keeper.newer_keys().await.ok_or(Refusal::NoKeys);
        }
        Ok(keys)
    }

    fn named(&self, claims: &Claims) -> Result<Principal, Refusal> {
        if claims.sub.trim().is_empty() || claims.sub.len() > LONGEST_NAME {
            return Err(refused("`sub` is empty or too long"));
        }
        // Two subjects that look the same must not become one name, so nothing is left out of one.
        if has_hidden_characters(&claims.sub) || claims.sub.trim() != &*claims.sub {
            return Err(refused("`sub` has characters that cannot be seen, or spaces around it"));
        }
        let principal = Principal::token_subject(claims.sub.clone()).with_scopes(claims.scopes());
        let principal = principal.naming(match self.subjects {
            TokenSubject::Person => Users::Only(claims.sub.clone()),
            TokenSubject::Service => Users::None,
            TokenSubject::TrustedService => Users::OfItsTenants,
        });
        Ok(match &self.tenants {
            TenantsOf::Everybody => principal.for_every_tenant(),
            TenantsOf::Claim(claim) => principal.for_tenants(claims.tenants(claim.as_deref())),
        })
    }
}

/// Refuses a token. Why is for the log alone, because whoever sent it may be guessing; and for
/// `debug`, because anybody could fill it.
fn refused(reason: &'static str) -> Refusal {
    #[cfg(feature = "trace")]
    tracing::debug!(reason, "a token is refused");
    #[cfg(not(feature = "trace"))]
    let _ = reason;
    Refusal::Invalid
}

/// Says what does not hold of a token, without anything that stands in it.
fn fault(error: &jsonwebtoken::errors::Error) -> &'static str {
    match error.kind() {
        ErrorKind::ExpiredSignature => "`exp` is over",
        ErrorKind::ImmatureSignature => "`nbf` is to come",
        ErrorKind::InvalidIssuer => "`iss` is another issuer",
        ErrorKind::InvalidAudience => "`aud` is another audience",
        ErrorKind::MissingRequiredClaim(_) => "`exp`, `iss`, `aud` or `sub` is missing",
        ErrorKind::InvalidSignature => "its signature does not hold",
        _ => "its form is none that is taken",
    }
}

/// Tokens say what they are for (RFC 8725, section 3.11): not those of log-outs or of proofs.
fn is_access_token(header: &Header) -> bool {
    let kind = header.typ.as_deref().map(str::to_ascii_lowercase);
    let kind = kind.as_deref().map(|kind| kind.strip_prefix("application/").unwrap_or(kind));
    matches!(kind, None | Some("jwt" | "at+jwt"))
}

fn is_asymmetric(algorithm: Algorithm) -> bool {
    !matches!(algorithm, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512)
}
