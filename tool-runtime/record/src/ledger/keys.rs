//! Keys that the ledger derives from its key ring: for links, keyed hashes and redaction.

use std::borrow::Cow;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_schema::canonical::Digest;
use tool_runtime_schema::redact::{Patterns, Redactor};
use uuid::Uuid;

use super::chain::ChainKeys;

// Part of every hash: with another label, new hashes cannot be compared with old ones.
const HASHING: &[u8] = b"tool-runtime/ledger/v1/hash";
const PERSONAL: &[u8] = b"tool-runtime/ledger/v1/personal";

/// The number of hexadecimal digits that replace personal data: enough to tell persons apart.
const PERSONAL_DIGITS: usize = 16;

/// The ledger's derived keys, and its patterns for free text.
pub(crate) struct LedgerKeys {
    chain: ChainKeys,
    /// By the keys' ids; the first makes new hashes.
    pub(super) hashing: Vec<(Box<str>, Hmac<Sha256>)>,
    personal: Hmac<Sha256>,
    patterns: Patterns,
}

impl LedgerKeys {
    pub(super) fn new(ring: &KeyRing, patterns: Patterns) -> Self {
        let keyed =
            |secret: &[u8]| Hmac::new_from_slice(secret).expect("HMAC takes a key of any length");
        let hashing = ring.keys().map(|key| (key.id().into(), keyed(&*key.subkey(HASHING))));
        Self {
            chain: ChainKeys::new(ring),
            hashing: hashing.collect(),
            personal: keyed(&*ring.current().subkey(PERSONAL)),
            patterns,
        }
    }

    pub(super) fn chain(&self) -> &ChainKeys {
        &self.chain
    }

    /// Formats a digest: as it is, or keyed where the hashed value could be guessed.
    pub(crate) fn hash(&self, digest: Digest, guessable: bool) -> String {
        match self.hashing.first() {
            Some((id, key)) if guessable => keyed_hash(id, key, digest),
            _ => hash_text(&["sha256:"], digest),
        }
    }

    /// Redacts free text of unknown origin.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.patterns.redact(text).into_owned()
    }

    /// Returns the redactor of a tenant's personal data.
    pub(crate) fn redactor(&self, tenant: Uuid) -> LedgerRedactor<'_> {
        LedgerRedactor { keys: self, tenant }
    }
}

pub(super) fn keyed_hash(id: &str, key: &Hmac<Sha256>, digest: Digest) -> String {
    let mac = key.clone().chain_update(digest.as_bytes()).finalize().into_bytes();
    hash_text(&["hmac-sha256:", id, ":"], Digest::from_bytes(mac.into()))
}

/// Joins these texts and a digest. Each record has several, and a general formatter takes longer.
fn hash_text(before: &[&str], digest: Digest) -> String {
    let digits = digest.digits();
    let mut text =
        String::with_capacity(before.iter().map(|part| part.len()).sum::<usize>() + digits.len());
    text.extend(before.iter().copied());
    text.push_str(std::str::from_utf8(&digits).unwrap_or_default());
    text
}

/// Shows no key.
impl fmt::Debug for LedgerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LedgerKeys").field("chain", &self.chain).finish_non_exhaustive()
    }
}

/// Replaces personal data of a tenant by keyed hashes: equal values stay equal, and a value cannot
/// be found by guessing.
pub(crate) struct LedgerRedactor<'k> {
    keys: &'k LedgerKeys,
    tenant: Uuid,
}

impl Redactor for LedgerRedactor<'_> {
    fn personal(&self, json: &str) -> String {
        let mac = self.keys.personal.clone().chain_update(self.tenant.as_bytes());
        let mac = mac.chain_update(json.as_bytes()).finalize().into_bytes();
        let digits = Digest::from_bytes(mac.into()).to_string();
        format!("pii:{}", &digits[..PERSONAL_DIGITS])
    }

    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.keys.patterns.redact(text)
    }
}
