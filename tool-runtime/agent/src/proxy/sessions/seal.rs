//! Encrypts the messages of sessions, so that a store can neither read nor change them.

use std::fmt;
use std::sync::Arc;

use tool_contracts::assess::ChatMessage;
use tool_runtime_core::key_ring::{KeyRing, RingKey, SealingKey, frame};
use tool_runtime_core::policy::{SealError, open_with, seal_with};
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use zeroize::Zeroizing;

use super::SessionKey;

// HKDF labels: another value makes every stored message unreadable.
const PURPOSE: &[u8] = b"tool-runtime/agent-sessions/v1/seal";
const ONE_MESSAGE: &[u8] = b"tool-runtime/agent-sessions/v1/seal/message";

/// The keys that seal messages, one for each key of a ring: the first seals, all open. Clones share
/// them.
#[derive(Clone)]
// There is no switch, so that no file has both forms. A conversation is kept for weeks, and no
// schema marks what is sensitive in it.
pub(super) struct SessionSeal(Arc<[SessionSecret]>);

struct SessionSecret {
    id: Box<str>,
    secret: Zeroizing<[u8; 32]>,
}

impl SessionSeal {
    /// Derives the keys from a ring's secrets.
    pub(super) fn from_ring(ring: &KeyRing) -> Self {
        let secret =
            |key: &RingKey| SessionSecret { id: key.id().into(), secret: key.subkey(PURPOSE) };
        Self(ring.keys().map(secret).collect())
    }

    /// Encrypts a message, bound to its session.
    pub(super) fn seal(
        &self,
        message: &ChatMessage,
        session: &SessionKey,
    ) -> Result<Vec<u8>, StoreError> {
        let unsealed = |log: String| StoreError::new(StoreErrorKind::Unavailable, log);
        let key = self.0.first().expect("a ring has a current key").as_key();
        let plain = serde_json::to_vec(message).map(Zeroizing::new);
        let plain = plain.map_err(|error| unsealed(format!("a message: {error}")))?;
        seal_with(&plain, key, &binding(session)).map_err(|error: SealError| {
            unsealed(format!("a message of a session cannot be encrypted: {error}"))
        })
    }

    /// Decrypts a message of a session.
    pub(super) fn open(
        &self,
        sealed: &[u8],
        session: &SessionKey,
    ) -> Result<ChatMessage, StoreError> {
        let key = |id: &str| self.0.iter().find(|key| *key.id == *id).map(SessionSecret::as_key);
        let plain = open_with(sealed, key, &binding(session)).map(Zeroizing::new);
        let message = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        message.ok_or_else(|| {
            StoreError::new(
                StoreErrorKind::Damaged,
                "a message of a session cannot be decrypted: keep the key that encrypted it on the \
                 ring, or delete the session if it was changed",
            )
        })
    }
}

impl SessionSecret {
    fn as_key(&self) -> SealingKey<'_> {
        SealingKey { id: &self.id, secret: &self.secret, label: ONE_MESSAGE }
    }
}

/// Returns what a message is bound to: it opens in no other session, of no other principal or tenant.
fn binding(session: &SessionKey) -> Vec<u8> {
    let SessionKey { tenant, principal, session } = session;
    frame(&[b"session", tenant.as_bytes(), principal.as_bytes(), session.as_bytes()])
}

/// Shows the keys' ids.
impl fmt::Debug for SessionSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use tool_contracts::assess::ChatRole;

    fn seal_of(id: &str, secret: u8) -> SessionSeal {
        SessionSeal::from_ring(&KeyRing::new(id, &[secret; 32]).expect("a ring"))
    }

    fn session(tenant: u128, principal: &str, session: &str) -> SessionKey {
        SessionKey::scoped(Uuid::from_u128(tenant), principal, session)
    }

    fn message() -> ChatMessage {
        let time = "2026-05-03T12:34:56Z".parse().expect("a time");
        ChatMessage::new(ChatRole::User, "hunter2", time, 3).expect("a message")
    }

    #[test]
    fn a_message_opens_in_its_own_session_alone() {
        let seal = seal_of("a", 7);
        let sessions = [
            session(1, "user:ada", "s"),
            session(2, "user:ada", "s"),
            session(1, "user:eve", "s"),
            session(1, "user:ada", "t"),
            session(1, "user:adas", ""),
            session(1, "user:ad", "as"),
        ];
        let sealed = seal.seal(&message(), &sessions[0]).expect("it is sealed");
        assert!(!sealed.windows(4).any(|part| b"hunter2".windows(4).any(|plain| part == plain)));
        for (at, session) in sessions.iter().enumerate() {
            assert_eq!(seal.open(&sealed, session).is_ok(), at == 0, "{at}");
        }
    }

    #[test]
    fn a_message_opens_with_its_own_key_alone() {
        let here = session(1, "user:ada", "s");
        let sealed = seal_of("a", 7).seal(&message(), &here).expect("it is sealed");
        for other in [seal_of("a", 8), seal_of("b", 7)] {
            let error = other.open(&sealed, &here).expect_err("another key");
            assert_eq!(error.kind(), StoreErrorKind::Damaged);
        }
        let rotated = KeyRing::new("b", &[8; 32]).and_then(|ring| ring.with_former("a", &[7; 32]));
        let rotated = SessionSeal::from_ring(&rotated.expect("a ring"));
        assert_eq!(rotated.open(&sealed, &here).ok(), Some(message()));
        assert_eq!(format!("{rotated:?}"), r#"["b", "a"]"#);
    }

    // The key is another one than that of tickets.
    #[test]
    fn a_message_does_not_open_as_a_ticket_s_call() {
        let ring = KeyRing::new("a", &[7; 32]).expect("a ring");
        let here = session(1, "user:ada", "s");
        let sealed = SessionSeal::from_ring(&ring).seal(&message(), &here).expect("it is sealed");
        let key = ring.current();
        let ticket = |id: &str| (id == key.id()).then(|| key.sealing());
        assert!(open_with(&sealed, ticket, &binding(&here)).is_none());
    }
}
