//! Mandates: proofs that a person has set what an agent may spend.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jsonwebtoken::crypto::aws_lc;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tool_contracts::{Actor, ToolContext, has_hidden_characters};
use tool_runtime_core::store::UnixMillis;

use crate::money::Money;

/// The type of the document, in the header `typ`: it is never taken for a login token.
const TYP: &str = "tool-mandate+jwt";

/// The kind of the mandate, in the claim `vct`.
const KIND: &str = "tool-runtime.mandate.tools.open.1";

/// The longest mandate, in bytes.
const MAX_LENGTH: usize = 16 * 1024;

/// The longest name of an issuer, a mandate or a user, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// The most entries of a list of a mandate.
const MAX_ENTRIES: usize = 256;

/// The longest time by which the issuer's clock may be ahead, in seconds.
const CLOCK_SKEW: u64 = 60;

/// The claims of a mandate, before they are signed: a person lets an agent spend.
///
/// The names are those of an open payment mandate of AP2 0.2 where it has the same; the guide says where not.
///
/// ```
/// use tool_runtime::budgets::{MandateClaims, MandateLimit, Payee};
///
/// let claims = MandateClaims::new("https://bank.example", "mandate-17", "jane", 1_796_002_561)
///     .agent("agent:shopper")
///     .tool("buy")
///     .payee(Payee::new("shop-1", "The shop"))
///     .limit(MandateLimit::new("EUR", "500.00").per_call("100.00"));
/// let json = tool_runtime::serde_json::to_string(&claims)?;
/// assert!(json.contains(r#""limits":[{"currency":"EUR","per_call":"100.00","total":"500.00"}]"#));
/// # Ok::<(), tool_runtime::serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MandateClaims {
    vct: String,
    iss: String,
    jti: String,
    sub: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    may_act: Option<MandatedAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aud: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    iat: Option<u64>,
    exp: u64,
    tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payees: Option<Vec<Payee>>,
    limits: Vec<MandateLimit>,
}

/// The agent that may act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MandatedAgent {
    sub: String,
}

/// A receiver of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payee {
    id: String,
    name: String,
}

/// The most that a mandate lets an agent spend in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MandateLimit {
    currency: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    per_call: Option<String>,
    total: String,
}

/// The reason why a text is no mandate for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MandateError {
    /// The call has none.
    #[error("a person has to sign a mandate first")]
    Missing,
    /// It is no signed mandate, or no key verifies it.
    #[error("the mandate is not valid")]
    Invalid,
    /// It is not valid yet, or not any more.
    #[error("the mandate has expired, or is not valid yet")]
    Expired,
    /// It was signed for another audience.
    #[error("the mandate is for another service")]
    Audience,
    /// It is for another user or agent.
    #[error("the mandate is for another user or agent")]
    Foreign,
    /// It does not name the tool.
    #[error("the mandate does not cover this tool")]
    Tool,
    /// It names other payees, or the call names none.
    #[error("the mandate does not cover this payee")]
    Payee,
    /// It has no limit in the currency.
    #[error("the mandate does not cover this currency")]
    Currency,
    /// The amount is above that of each call.
    #[error("the mandate does not cover this amount")]
    Amount,
}

/// The public keys that verify mandates.
#[derive(Clone, Default)]
pub struct MandateKeys {
    /// The issuer and the key, by the key's id.
    keys: BTreeMap<String, (String, DecodingKey)>,
    audience: Option<String>,
}

/// A mandate whose signature and form are verified.
#[derive(Debug, Clone)]
pub(crate) struct Mandate {
    pub(crate) claims: MandateClaims,
    /// The signed text.
    pub(crate) text: Arc<str>,
}

/// A text that cannot be a key or cannot be signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MandateKeyError(String);

impl MandateClaims {
    /// Creates the claims: the issuer, the mandate's id, the user whose money it is, and the end in seconds since the
    /// epoch. Without a tool and a limit the mandate covers nothing.
    #[must_use]
    pub fn new(
        issuer: impl Into<String>,
        id: impl Into<String>,
        user: impl Into<String>,
        until: u64,
    ) -> Self {
        Self {
            vct: KIND.to_owned(),
            iss: issuer.into(),
            jti: id.into(),
            sub: user.into(),
            may_act: None,
            aud: None,
            iat: None,
            exp: until,
            tools: Vec::new(),
            payees: None,
            limits: Vec::new(),
        }
    }

    /// Names the agent that may act: the type and the id of the call's actor, such as `agent:shopper`.
    #[must_use]
    pub fn agent(mut self, actor: impl Into<String>) -> Self {
        self.may_act = Some(MandatedAgent { sub: actor.into() });
        self
    }

    /// Names the service that may use the mandate.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.aud = Some(audience.into());
        self
    }

    /// Sets the time of issue, in seconds since the epoch.
    #[must_use]
    pub fn issued_at(mut self, time: u64) -> Self {
        self.iat = Some(time);
        self
    }

    /// Covers a tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tools.push(name.into());
        self
    }

    /// Covers a payee; without any, all payees are covered.
    #[must_use]
    pub fn payee(mut self, payee: Payee) -> Self {
        self.payees.get_or_insert_default().push(payee);
        self
    }

    /// Adds the limit in a currency.
    #[must_use]
    pub fn limit(mut self, limit: MandateLimit) -> Self {
        self.limits.push(limit);
        self
    }

    /// Signs the mandate with an Ed25519 key, in PKCS #8 as DER.
    ///
    /// # Errors
    /// The key cannot be read.
    pub fn sign(&self, key_id: &str, pkcs8: &[u8]) -> Result<String, MandateKeyError> {
        install_provider();
        let header = Header {
            typ: Some(TYP.to_owned()),
            kid: Some(key_id.to_owned()),
            ..Header::new(Algorithm::EdDSA)
        };
        jsonwebtoken::encode(&header, self, &EncodingKey::from_ed_der(pkcs8))
            .map_err(|_| MandateKeyError("expected an Ed25519 key in PKCS #8, as DER".to_owned()))
    }

    /// Returns the end, in seconds since the epoch.
    pub(crate) fn ends_at(&self) -> u64 {
        self.exp
    }

    /// Returns the name under which a mandate's sums and records are kept.
    pub(crate) fn name(&self) -> String {
        format!("{}#{}", self.iss, self.jti)
    }

    /// Checks everything but the amount.
    pub(crate) fn check(
        &self,
        cx: &ToolContext,
        tool: &str,
        payee: Option<&str>,
        now: UnixMillis,
    ) -> Result<(), MandateError> {
        let seconds = now.get() / 1_000;
        if seconds >= self.exp
            || self.iat.is_some_and(|iat| iat > seconds.saturating_add(CLOCK_SKEW))
        {
            return Err(MandateError::Expired);
        }
        let actor =
            cx.actor().map(|actor: &Actor| format!("{}:{}", actor.kind().as_str(), actor.id()));
        let is_agent = self.may_act.as_ref().is_none_or(|agent| actor.as_ref() == Some(&agent.sub));
        if cx.user_id() != Some(self.sub.as_str()) || !is_agent {
            return Err(MandateError::Foreign);
        }
        if !self.tools.iter().any(|name| name == tool) {
            return Err(MandateError::Tool);
        }
        let covers = |payees: &Vec<Payee>| payees.iter().any(|it| Some(&*it.id) == payee);
        if self.payees.as_ref().is_none_or(covers) { Ok(()) } else { Err(MandateError::Payee) }
    }

    /// Returns the most of one call, if it is limited, and the most in all, in a currency.
    pub(crate) fn limit_in(&self, currency: &str) -> Option<(Option<Money>, Money)> {
        let limit = self.limits.iter().find(|limit| limit.currency == currency)?;
        limit.amounts()
    }
}

impl MandateLimit {
    /// Creates a limit: the most in all, a decimal number such as `500.00`.
    #[must_use]
    pub fn new(currency: impl Into<String>, total: impl Into<String>) -> Self {
        Self { currency: currency.into(), per_call: None, total: total.into() }
    }

    /// Sets the most of each call.
    #[must_use]
    pub fn per_call(mut self, amount: impl Into<String>) -> Self {
        self.per_call = Some(amount.into());
        self
    }

    /// Reads the amounts; none if one of them cannot be counted.
    fn amounts(&self) -> Option<(Option<Money>, Money)> {
        let money = |amount: &str| format!("{amount} {}", self.currency).parse().ok();
        let per_call = match &self.per_call {
            Some(amount) => Some(money(amount)?),
            None => None,
        };
        Some((per_call, money(&self.total)?))
    }
}

impl Payee {
    /// Creates a payee: the id that calls name, and the name that the person has read.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into() }
    }
}

impl MandateKeys {
    /// Creates a set without keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an issuer's public key of Ed25519 under its id: 32 bytes as Base64url without padding, the `x` of its JSON
    /// Web Key. The key verifies the mandates of this issuer alone.
    ///
    /// # Errors
    /// The text is no such key, or the issuer's name is empty or has a `#`.
    pub fn key(
        mut self,
        issuer: impl Into<String>,
        id: impl Into<String>,
        x: &str,
    ) -> Result<Self, MandateKeyError> {
        install_provider();
        let issuer = issuer.into();
        if !is_name(&issuer) || issuer.contains('#') {
            return Err(MandateKeyError("expected the name of an issuer without `#`".to_owned()));
        }
        let wrong = || {
            MandateKeyError("expected the `x` of an Ed25519 key: 32 bytes as Base64url".to_owned())
        };
        if x.len() != 43 {
            return Err(wrong());
        }
        let key = DecodingKey::from_ed_components(x).map_err(|_| wrong())?;
        self.keys.insert(id.into(), (issuer, key));
        Ok(self)
    }

    /// Takes mandates for this audience only; without it, those that name none.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Verifies the signature and the form of a mandate.
    pub(crate) fn verify(&self, text: &Arc<str>) -> Result<Mandate, MandateError> {
        if text.len() > MAX_LENGTH {
            return Err(MandateError::Invalid);
        }
        let header =
            jsonwebtoken::decode_header(text.as_bytes()).map_err(|_| MandateError::Invalid)?;
        let is_mandate = header.typ.as_deref() == Some(TYP) && header.alg == Algorithm::EdDSA;
        let key = header.kid.as_ref().filter(|_| is_mandate).and_then(|kid| self.keys.get(kid));
        let mut rules = Validation::new(Algorithm::EdDSA);
        // Times are compared with the host's clock, and the audience below, with errors of their own.
        (rules.validate_exp, rules.validate_aud) = (false, false);
        rules.required_spec_claims.clear();
        let (issuer, key) = key.ok_or(MandateError::Invalid)?;
        let claims = jsonwebtoken::decode::<MandateClaims>(text.as_bytes(), key, &rules);
        let claims = claims.map_err(|_| MandateError::Invalid)?.claims;
        if claims.aud != self.audience {
            return Err(MandateError::Audience);
        }
        let lengths =
            [claims.tools.len(), claims.limits.len(), claims.payees.as_ref().map_or(0, Vec::len)];
        let is_bounded = lengths.iter().all(|length| *length <= MAX_ENTRIES);
        let is_readable = claims.limits.iter().all(|limit| limit.amounts().is_some());
        let is_unique = claims.limits.iter().enumerate().all(|(index, limit)| {
            claims.limits[..index].iter().all(|other| other.currency != limit.currency)
        });
        let is_named = claims.iss == *issuer && is_name(&claims.jti) && is_name(&claims.sub);
        if claims.vct != KIND || !is_named || !is_bounded || !is_readable || !is_unique {
            return Err(MandateError::Invalid);
        }
        Ok(Mandate { claims, text: text.clone() })
    }
}

/// Returns whether a text is a name that records repeat: not empty, visible, and not long.
fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_LENGTH).contains(&text.len()) && !has_hidden_characters(text)
}

/// Chooses the implementation of signatures: another crate may enable a second one, and then one has to be chosen. A
/// provider that was installed before stays.
fn install_provider() {
    let _ = aws_lc::DEFAULT_PROVIDER.install_default();
}

impl fmt::Debug for MandateKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MandateKeys").field("ids", &self.keys.keys()).finish_non_exhaustive()
    }
}
