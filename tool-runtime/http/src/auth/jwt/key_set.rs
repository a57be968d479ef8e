//! The public keys of an issuer (JWKS, RFC 7517), each bound to one algorithm.

use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::JwksError;

const MAX_KEYS: usize = 100;

/// The keys that verify signatures.
#[derive(Debug)]
pub(super) struct KeySet {
    keys: Vec<VerificationKey>,
}

#[derive(Debug)]
struct VerificationKey {
    id: Option<Box<str>>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

/// The result of a lookup of a token's key.
#[derive(Debug)]
pub(super) enum KeyLookup<'a> {
    Key(&'a DecodingKey),
    /// No key has this id; a newer set may have one.
    Unknown,
    /// The key is for another algorithm, or the token names none of several.
    Unfit,
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

/// The used fields of a JSON Web Key.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    crv: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    kid: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    d: Option<IgnoredAny>,
}

impl KeySet {
    /// Reads the keys that verify signatures, and skips all others.
    pub(super) fn read(json: &[u8]) -> Result<Self, JwksError> {
        let document: JwkSet = serde_json::from_slice(json).map_err(|_| JwksError::NoKeySet)?;
        if document.keys.len() > MAX_KEYS {
            return Err(JwksError::TooLarge);
        }
        let jwks = document.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok());
        let jwks: Vec<Jwk> = jwks.collect();
        if jwks.iter().any(|jwk| jwk.d.is_some()) {
            return Err(JwksError::PrivateKey);
        }
        let keys: Vec<_> = jwks.into_iter().filter_map(Jwk::into_key).collect();
        if keys.is_empty() { Err(JwksError::NoKey) } else { Ok(Self { keys }) }
    }

    /// Finds the key of this id and algorithm; without an id, the only key of the set.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> KeyLookup<'_> {
        let Some(id) = id else {
            return match &*self.keys {
                [only] if only.algorithm == algorithm => KeyLookup::Key(&only.decoding),
                _ => KeyLookup::Unfit,
            };
        };
        let mut candidates =
            self.keys.iter().filter(|key| key.id.as_deref() == Some(id)).peekable();
        if candidates.peek().is_none() {
            return KeyLookup::Unknown;
        }
        let fit = candidates.find(|key| key.algorithm == algorithm);
        fit.map_or(KeyLookup::Unfit, |key| KeyLookup::Key(&key.decoding))
    }
}

impl Jwk {
    fn into_key(self) -> Option<VerificationKey> {
        let is_for_signatures = self.usage.as_deref().is_none_or(|usage| usage == "sig")
            && self.key_ops.as_ref().is_none_or(|ops| ops.iter().any(|op| op == "verify"));
        let algorithm = self.algorithm().filter(|_| is_for_signatures)?;
        let decoding = self.decoding().ok()??;
        Some(VerificationKey { id: self.kid.map(Into::into), algorithm, decoding })
    }

    /// Returns the one algorithm that the key is for (RFC 8725, section 3.1).
    ///
    /// An RSA key without `alg` is for RS256, as most issuers intend.
    fn algorithm(&self) -> Option<Algorithm> {
        let alg = self.alg.as_deref();
        match (&*self.kty, self.crv.as_deref()) {
            ("RSA", _) => match alg.unwrap_or("RS256") {
                "RS256" => Some(Algorithm::RS256),
                "RS384" => Some(Algorithm::RS384),
                "RS512" => Some(Algorithm::RS512),
                "PS256" => Some(Algorithm::PS256),
                "PS384" => Some(Algorithm::PS384),
                "PS512" => Some(Algorithm::PS512),
                _ => None,
            },
            ("EC", Some("P-256")) if alg.is_none_or(|alg| alg == "ES256") => Some(Algorithm::ES256),
            ("EC", Some("P-384")) if alg.is_none_or(|alg| alg == "ES384") => Some(Algorithm::ES384),
            ("OKP", Some("Ed25519"))
                if alg.is_none_or(|alg| alg == "EdDSA" || alg == "Ed25519") =>
            {
                Some(Algorithm::EdDSA)
            }
            _ => None,
        }
    }

    fn decoding(&self) -> jsonwebtoken::errors::Result<Option<DecodingKey>> {
        let pair = |one: &Option<String>, two: &Option<String>| one.clone().zip(two.clone());
        match &*self.kty {
            "RSA" => pair(&self.n, &self.e)
                .map(|(n, e)| DecodingKey::from_rsa_components(&n, &e))
                .transpose(),
            "EC" => pair(&self.x, &self.y)
                .map(|(x, y)| DecodingKey::from_ec_components(&x, &y))
                .transpose(),
            _ => self.x.as_deref().map(DecodingKey::from_ed_components).transpose(),
        }
    }
}
