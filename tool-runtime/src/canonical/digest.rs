//! A SHA-256 hash with a domain tag.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 hash, made for one purpose: its domain tag is part of what is hashed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes bytes for a purpose.
    #[must_use]
    pub fn of(domain: &str, bytes: &[u8]) -> Self {
        let length = u64::try_from(domain.len()).unwrap_or(u64::MAX).to_be_bytes();
        let hash = Sha256::new().chain_update(length).chain_update(domain).chain_update(bytes);
        Self(hash.finalize().into())
    }

    /// Takes a hash that was made before.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the hash's bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
