//! SHA-256 with domain separation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::canonicalize_into;
use super::error::CanonicalError;
use crate::encoding::{array_of_hex, hex};

/// A SHA-256 hash of bytes and of their domain.
///
/// The *domain* is a short name such as `arguments/1`. It is part of the hash, so that an output
/// and arguments with the same bytes have different hashes. The hashed message is the domain's
/// length in bytes (64 bits, big-endian), the domain, and the bytes.
///
/// The text form (`Display`, `FromStr`, serde) is 64 lower-case hexadecimal digits, and no other
/// notation is accepted. Comparison is not constant in time, because a digest is not a secret.
///
/// # Examples
/// ```
/// use tool_runtime::canonical::Digest;
///
/// let one = Digest::from_json("arguments", r#"{"query": "tea", "limit": 10}"#)?;
/// let other = Digest::from_json("arguments", r#"{"limit":1e1,"query":"\u0074ea"}"#)?;
/// assert_eq!(one, other);
/// assert_ne!(one, Digest::from_json("answer", r#"{"query": "tea", "limit": 10}"#)?);
///
/// let text = one.to_string();
/// assert_eq!(text.len(), 64);
/// assert_eq!(text.parse(), Ok(one));
/// # Ok::<(), tool_runtime::canonical::CanonicalError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Indicates that a text is not a digest; the error does not quote the text.
///
/// # Examples
/// ```
/// use tool_runtime::canonical::Digest;
///
/// let refused = "AB".parse::<Digest>().expect_err("too short, and in capitals");
/// assert_eq!(refused.to_string(), "a digest is 64 hexadecimal digits in lower case");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a digest is 64 hexadecimal digits in lower case")]
#[non_exhaustive]
pub struct ParseDigestError;

impl Digest {
    /// Hashes bytes in this domain.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::canonical::Digest;
    ///
    /// assert_ne!(Digest::compute("ab", b"c"), Digest::compute("a", b"bc"));
    /// ```
    #[must_use]
    pub fn compute(domain: &str, bytes: &[u8]) -> Self {
        let length = u64::try_from(domain.len()).unwrap_or(u64::MAX).to_be_bytes();
        let hash = Sha256::new().chain_update(length).chain_update(domain).chain_update(bytes);
        Self(hash.finalize().into())
    }

    /// Hashes the canonical form of a JSON text ([`canonicalize`](super::canonicalize)).
    ///
    /// # Errors
    /// Returns the error of [`canonicalize`](super::canonicalize) if the text has no canonical
    /// form.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::canonical::Digest;
    ///
    /// let digest = Digest::from_json("answer", "[1.0, 2]")?;
    /// assert_eq!(digest, Digest::compute("answer", b"[1,2]"));
    /// # Ok::<(), tool_runtime::canonical::CanonicalError>(())
    /// ```
    pub fn from_json(domain: &str, json: &str) -> Result<Self, CanonicalError> {
        let mut bytes = Vec::with_capacity(json.len());
        canonicalize_into(json, &mut bytes)?;
        Ok(Self::compute(domain, &bytes))
    }

    /// Creates a digest from the 32 bytes of an existing hash.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The text form.
    #[must_use]
    #[doc(hidden)]
    pub fn digits(&self) -> [u8; 64] {
        let mut text = [0; 64];
        for (digits, byte) in text.chunks_exact_mut(2).zip(self.0) {
            digits.copy_from_slice(&hex(byte));
        }
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        array_of_hex(text.as_bytes()).map(Self).ok_or(ParseDigestError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
