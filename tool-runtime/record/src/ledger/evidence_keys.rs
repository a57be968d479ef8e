//! Hashes that evidence compares with recorded ones, and its redaction, under the ledger's keys.

use tool_runtime_core::tool::CallScope;
use tool_runtime_schema::canonical::Digest;

use super::keys::{LedgerKeys, keyed_hash};

impl LedgerKeys {
    /// Formats a digest as an earlier one was formatted, so that the two can be compared; none if
    /// the earlier key is no longer known.
    pub(crate) fn hash_like(&self, earlier: &str, digest: Digest) -> Option<String> {
        let Some(rest) = earlier.strip_prefix("hmac-sha256:") else {
            return Some(self.hash(digest, false));
        };
        let id = rest.split(':').next()?;
        let (id, key) = self.hashing.iter().find(|(known, _)| &**known == id)?;
        Some(keyed_hash(id, key, digest))
    }

    /// Redacts a call's arguments, with at most `free_bytes` of free text; none if they are not
    /// JSON.
    pub(crate) fn redacted_input(&self, scope: &CallScope, free_bytes: usize) -> Option<String> {
        scope.redacted(&self.redactor(scope.cx().tenant_id()), free_bytes)
    }
}
