//! The digest of a response, which tells the calls of two responses apart where a provider sends no id
//! of the response, or always the same.

use sha2::{Digest as _, Sha256};
use tool_runtime_schema::encoding::base64;

/// Computes the digest of a response from its text, or from the data of its events.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseHasher(Sha256);

/// The SHA-256 hash of a response, in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResponseDigest(Box<str>);

impl ResponseHasher {
    /// Adds the data of the next event.
    pub(super) fn push(&mut self, event: &str) {
        // JSON has no zero byte, so no other division into events has the same bytes.
        self.0.update(event);
        self.0.update([0]);
    }

    pub(super) fn finish(self) -> ResponseDigest {
        ResponseDigest(base64::encode(&self.0.finalize()).into())
    }
}

impl ResponseDigest {
    /// Creates the digest of a response that came as a whole.
    pub(super) fn from_whole(response: &str) -> Self {
        let mut hasher = ResponseHasher::default();
        hasher.push(response);
        hasher.finish()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
