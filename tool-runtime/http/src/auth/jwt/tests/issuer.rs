//! An issuer of tokens, with real keys.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::super::{Jwks, JwtVerifier};

pub(super) const ISSUER: &str = "https://issuer.example";
pub(super) const AUDIENCE: &str = "tools";

/// The PKCS #8 prefixes of private keys: Ed25519, P-256, P-384.
const ED25519: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
const P256: &[u8] = b"\x30\x41\x02\x01\x00\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\
    \x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x04\x27\x30\x25\x02\x01\x01\x04\x20";
const P384: &[u8] = b"\x30\x4e\x02\x01\x00\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\
    \x06\x05\x2b\x81\x04\x00\x22\x04\x37\x30\x35\x02\x01\x01\x04\x30";

/// An RSA key cannot be drawn in a few lines; this one was drawn for these tests.
const RSA: &[u8] = include_bytes!("rsa.der");

/// A key that signs.
pub(crate) struct Signer {
    pub(super) id: &'static str,
    pub(super) algorithm: Algorithm,
    pub(super) key: EncodingKey,
}

impl Signer {
    /// Draws a key, but of RSA.
    pub(crate) fn new(id: &'static str, algorithm: Algorithm) -> Self {
        let key = match algorithm {
            Algorithm::EdDSA => EncodingKey::from_ed_der(&drawn(ED25519, 32)),
            Algorithm::ES256 => EncodingKey::from_ec_der(&drawn(P256, 32)),
            Algorithm::ES384 => EncodingKey::from_ec_der(&drawn(P384, 48)),
            _ => EncodingKey::from_rsa_der(RSA),
        };
        Self { id, algorithm, key }
    }

    /// Names the key, as its tokens do.
    pub(crate) const fn id(&self) -> &'static str {
        self.id
    }

    pub(super) fn jwk(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.key, self.algorithm).expect("the key is whole");
        let mut jwk = serde_json::to_value(jwk).expect("it is JSON");
        jwk["kid"] = self.id.into();
        jwk["use"] = "sig".into();
        jwk
    }

    pub(super) fn header(&self) -> Header {
        Header { kid: Some(self.id.to_owned()), ..Header::new(self.algorithm) }
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_as(&self.header(), claims)
    }

    pub(super) fn sign_as(&self, header: &Header, claims: &Value) -> String {
        jsonwebtoken::encode(header, claims, &self.key).expect("the key signs")
    }

    /// Signs a header that no library would write.
    pub(super) fn sign_raw(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &self.key, self.algorithm);
        format!("{message}.{}", signature.expect("the key signs"))
    }
}

/// A source of keys that does as it is told.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) answer: Mutex<Answer>,
    pub(super) reads: AtomicUsize,
}

#[derive(Debug, Clone)]
pub(super) enum Answer {
    Keys(String),
    Down,
    Hangs,
    Panics,
}

impl Script {
    pub(super) fn new(answer: Answer) -> Arc<Self> {
        Arc::new(Self { answer: Mutex::new(answer), reads: AtomicUsize::new(0) })
    }

    pub(super) fn says(&self, answer: Answer) {
        *self.answer.lock().expect("no thread panicked") = answer;
    }

    pub(super) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    pub(super) async fn read(self: Arc<Self>) -> Result<String, &'static str> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        // As a network would: others run in between.
        tokio::task::yield_now().await;
        let answer = self.answer.lock().expect("no thread panicked").clone();
        match answer {
            Answer::Keys(json) => Ok(json),
            Answer::Down => Err("down"),
            Answer::Hangs => std::future::pending().await,
            Answer::Panics => panic!("the source panics"),
        }
    }
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_secs()
}

/// The claims of a valid token.
pub(super) fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "orchestrator", "exp": now() + 300,
        "nbf": now(), "scope": "openid tools traces", "tenants": ["yantian"],
    })
}

/// A good token's claims with these in their place; `null` takes one away.
pub(crate) fn claims_but(other: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in other.as_object().expect("it is an object") {
        claims[name] = value.clone();
        if value.is_null() {
            claims.as_object_mut().expect("it is an object").remove(name);
        }
    }
    claims
}

pub(super) fn set(signers: &[&Signer]) -> String {
    let keys: Vec<_> = signers.iter().map(|signer| signer.jwk()).collect();
    json!({ "keys": keys }).to_string()
}

pub(super) fn verifier(keys: Jwks) -> JwtVerifier {
    JwtVerifier::new(keys, ISSUER, AUDIENCE).expect("they are named")
}

pub(crate) fn verifier_of(signers: &[&Signer]) -> JwtVerifier {
    verifier(Jwks::from_json(set(signers)).expect("these are keys"))
}

/// Writes base64url without padding.
pub(super) fn encoded(text: impl AsRef<[u8]>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits_of = |chunk: &[u8]| {
        let mut bytes = [0; 4];
        bytes[1..=chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes(bytes);
        let digit = move |at: u32| char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]);
        (0..=u32::try_from(chunk.len()).expect("it is at most 3")).map(digit).collect::<String>()
    };
    text.as_ref().chunks(3).map(digits_of).collect()
}

fn drawn(prefix: &[u8], length: usize) -> Vec<u8> {
    let mut der = prefix.to_vec();
    der.resize(prefix.len() + length, 0);
    getrandom::fill(&mut der[prefix.len()..]).expect("there is randomness");
    // Below the order of every curve.
    der[prefix.len()] &= 0x7f;
    der
}
