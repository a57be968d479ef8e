//! Texts that callers and hosts keep and send back: sealed or signed, since they are not trusted.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::store_client::StoreClient;
use super::ticket::{binding, open, seal};
use crate::key_ring::{KeyRing, frame};
use crate::store::UnixMillis;

/// The length of the end of validity before the text, in bytes.
const END_LENGTH: usize = size_of::<u64>();

/// Seals and signs what callers and hosts keep for the runtime.
pub struct CallerSeals {
    pub(super) stores: Arc<StoreClient>,
    /// None if the host sets no keys and the system has no random bytes.
    pub(super) keys: Option<Arc<KeyRing>>,
    /// The time for which a sealed text can be opened.
    pub(super) lifetime: Duration,
}

/// The signature of a state, and the key of the ring that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSignature {
    key: Box<str>,
    mac: Digest,
}

impl fmt::Debug for CallerSeals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerSeals").finish_non_exhaustive()
    }
}

impl CallerSeals {
    /// Seals a text for a caller of a tenant; `None` if there are no keys.
    #[must_use]
    pub fn seal_for_caller(&self, plain: &[u8], purpose: &str, tenant: Uuid) -> Option<Vec<u8>> {
        let end = self.stores.now().after(self.lifetime).get();
        let dated = [&end.to_be_bytes(), plain].concat();
        seal(&dated, self.keys.as_deref()?, &binding(purpose, tenant)).ok()
    }

    /// Opens a text that was sealed for this purpose and tenant; `None` if it was altered or its time is
    /// over.
    #[must_use]
    pub fn open_for_caller(&self, sealed: &[u8], purpose: &str, tenant: Uuid) -> Option<Vec<u8>> {
        let mut dated = open(sealed, self.keys.as_deref()?, &binding(purpose, tenant)).ok()?;
        let end = u64::from_be_bytes(dated.first_chunk::<END_LENGTH>().copied()?);
        if UnixMillis::new(end) <= self.stores.now() {
            return None;
        }
        dated.drain(..END_LENGTH);
        Some(dated)
    }

    /// Signs a state of this purpose; none if there are no keys.
    #[must_use]
    pub fn sign_state(&self, purpose: &str, state: &[u8]) -> Option<StateSignature> {
        let key = self.keys.as_deref()?.current();
        let mac = key.sign(&message(purpose, key.id(), state));
        Some(StateSignature { key: key.id().into(), mac: Digest::from_bytes(mac) })
    }

    /// Returns whether a key of the ring has signed the state for this purpose.
    #[must_use]
    pub fn has_signed_state(
        &self,
        purpose: &str,
        state: &[u8],
        signature: &StateSignature,
    ) -> bool {
        let key = self.keys.as_deref().and_then(|ring| ring.key(&signature.key));
        key.is_some_and(|key| {
            let message = message(purpose, &signature.key, state);
            key.verifies(&message, signature.mac.as_bytes())
        })
    }
}

fn message(purpose: &str, key: &str, state: &[u8]) -> Vec<u8> {
    frame(&[purpose.as_bytes(), key.as_bytes(), state])
}
