//! Signs the states that a host keeps between two runs, such as a suspended run of an agent.

use serde::{Deserialize, Serialize};
use tool_runtime_schema::canonical::Digest;

use super::policy_state::PolicyState;
use crate::key_ring::frame;

/// The signature of a state, and the key of the ring that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSignature {
    key: Box<str>,
    mac: Digest,
}

impl PolicyState {
    /// Signs a state of this purpose; none if there are no keys.
    pub fn sign_state(&self, purpose: &str, state: &[u8]) -> Option<StateSignature> {
        let key = self.keys.as_ref()?.current();
        let mac = key.sign(&message(purpose, key.id(), state));
        Some(StateSignature { key: key.id().into(), mac: Digest::from_bytes(mac) })
    }

    /// Returns whether a key of the ring has signed the state for this purpose.
    pub fn has_signed_state(
        &self,
        purpose: &str,
        state: &[u8],
        signature: &StateSignature,
    ) -> bool {
        let key = self.keys.as_ref().and_then(|ring| ring.key(&signature.key));
        key.is_some_and(|key| {
            let message = message(purpose, &signature.key, state);
            key.verifies(&message, signature.mac.as_bytes())
        })
    }
}

fn message(purpose: &str, key: &str, state: &[u8]) -> Vec<u8> {
    frame(&[purpose.as_bytes(), key.as_bytes(), state])
}
