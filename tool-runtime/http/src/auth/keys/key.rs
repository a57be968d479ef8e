//! An API key, and the hash under which it is stored.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq};
use thiserror::Error;
use tool_runtime_schema::encoding::{array_of_hex, hex_digits};
use zeroize::Zeroizing;

const PREFIX: &str = "tsk_";
const ID_DIGITS: usize = 16;
const SECRET_BYTES: usize = 32;
const MIN_LENGTH: usize = 32;
const MIN_VARIETY: usize = 10;
const SCHEME: &str = "sha256";

/// A secret that a caller sends in `X-Internal-API-Key`.
///
/// Give it to the caller and store its [`hash`](Self::hash). `Debug` shows only its id.
///
/// # Examples
/// ```
/// use tool_runtime::http::{ApiKey, ApiKeyHash};
///
/// let key = ApiKey::generate()?;
/// assert!(key.expose().starts_with("tsk_"));
///
/// let in_the_configuration = key.hash().to_string();
/// assert_eq!(in_the_configuration.parse::<ApiKeyHash>()?, key.hash());
///
/// let error = ApiKey::new("hunter2").unwrap_err();
/// assert_eq!(error.to_string(), "an API key needs at least 32 random characters: found 7");
/// # Ok::<(), tool_runtime::http::ApiKeyError>(())
/// ```
pub struct ApiKey(Zeroizing<String>);

/// The hash of an [`ApiKey`]: its id, and the SHA-256 of its text.
///
/// As text it is `sha256:ID:DIGEST` in hexadecimal digits. A key of 256 random bits needs no slow
/// hash. The id of a key that was not [generated](ApiKey::generate) here is the beginning of its
/// digest.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeyHash {
    id: KeyId,
    digest: [u8; 32],
}

/// The id under which a key is looked up; it is not secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KeyId(u64);

/// The error for an invalid API key or an invalid hash of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    /// The key is too short.
    #[error("an API key needs at least 32 random characters: found {found}")]
    Short {
        /// Its length in characters.
        found: usize,
    },
    /// The key has too few different characters.
    #[error("an API key has too few different characters: use at least 32 random ones")]
    Uniform,
    /// The key has characters that a header cannot carry.
    #[error("an API key is made of printable ASCII characters without spaces")]
    Unprintable,
    /// The text is not the hash of a key.
    #[error("the hash of an API key is `sha256:`, 16 hexadecimal digits, `:` and 64 more")]
    NoHash,
    /// Another key of the set has the same id.
    #[error("two API keys have the same id: give each principal a different key")]
    Repeated,
    /// The operating system provides no random bytes.
    #[error("the operating system provides no random bytes: configure a key of your own instead")]
    NoRandomness,
}

impl ApiKey {
    /// Generates a key of 256 random bits: `tsk_`, its id, `_`, its secret.
    ///
    /// # Errors
    /// The operating system provides no random bytes.
    pub fn generate() -> Result<Self, ApiKeyError> {
        let (mut id, mut secret) = ([0; ID_DIGITS / 2], Zeroizing::new([0; SECRET_BYTES]));
        let filled = getrandom::fill(&mut id).and_then(|()| getrandom::fill(&mut *secret));
        filled.map_err(|_| ApiKeyError::NoRandomness)?;
        let mut text =
            Zeroizing::new(String::with_capacity(PREFIX.len() + ID_DIGITS + 1 + 2 * SECRET_BYTES));
        text.push_str(PREFIX);
        push_hex(&mut text, &id);
        text.push('_');
        push_hex(&mut text, &*secret);
        Ok(Self(text))
    }

    /// Uses a key of the host's own, which has to be random.
    ///
    /// # Errors
    /// The key is shorter than 32 characters, has too few different ones, or has a character that a
    /// header cannot carry.
    pub fn new(text: impl Into<String>) -> Result<Self, ApiKeyError> {
        let text = Zeroizing::new(text.into());
        if text.len() < MIN_LENGTH {
            return Err(ApiKeyError::Short { found: text.len() });
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiKeyError::Unprintable);
        }
        if variety(text.as_bytes()) < MIN_VARIETY {
            return Err(ApiKeyError::Uniform);
        }
        Ok(Self(text))
    }

    /// Returns the secret text, to be given to the caller.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the hash, to be stored.
    #[must_use]
    pub fn hash(&self) -> ApiKeyHash {
        ApiKeyHash::from_key(self.0.as_bytes())
    }
}

impl ApiKeyHash {
    pub(super) fn from_key(key: &[u8]) -> Self {
        let digest: [u8; 32] = Sha256::digest(key).into();
        Self { id: KeyId::in_key(key).unwrap_or_else(|| KeyId::from_digest(&digest)), digest }
    }

    pub(super) const fn id(&self) -> KeyId {
        self.id
    }

    /// Compares two hashes in constant time.
    pub(super) fn is(&self, other: Option<&Self>) -> Choice {
        const NO_KEY: [u8; 32] = [0; 32];
        let digest = other.map_or(&NO_KEY, |other| &other.digest);
        self.digest.ct_eq(digest) & Choice::from(u8::from(other.is_some()))
    }
}

impl KeyId {
    /// Reads the id of a generated key.
    fn in_key(key: &[u8]) -> Option<Self> {
        let key_body = key.strip_prefix(PREFIX.as_bytes())?;
        let (id, key_body) = key_body.split_at_checked(ID_DIGITS)?;
        let id = array_of_hex(id).filter(|_| key_body.first() == Some(&b'_'))?;
        Some(Self(u64::from_be_bytes(id)))
    }

    fn from_digest(digest: &[u8; 32]) -> Self {
        let first = digest.first_chunk().copied().unwrap_or_default();
        Self(u64::from_be_bytes(first))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("id", &self.hash().id).finish_non_exhaustive()
    }
}

impl fmt::Debug for ApiKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKeyHash").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for ApiKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digest = String::with_capacity(64);
        push_hex(&mut digest, &self.digest);
        write!(f, "{SCHEME}:{:?}:{digest}", self.id)
    }
}

impl FromStr for ApiKeyHash {
    type Err = ApiKeyError;

    fn from_str(text: &str) -> Result<Self, ApiKeyError> {
        let read = || {
            let (id, digest) = text.strip_prefix(SCHEME)?.strip_prefix(':')?.split_once(':')?;
            let id = KeyId(u64::from_be_bytes(array_of_hex(id.as_bytes())?));
            Some(Self { id, digest: array_of_hex(digest.as_bytes())? })
        };
        read().ok_or(ApiKeyError::NoHash)
    }
}

/// Returns the number of different bytes.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    text.extend(hex_digits(bytes));
}
