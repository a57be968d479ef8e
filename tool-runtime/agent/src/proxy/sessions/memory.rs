//! Sessions in the memory of the process.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quick_cache::sync::Cache;
use tool_contracts::assess::ChatMessage;
use tool_runtime_core::store::StoreError;

use super::{MAX_SESSION_MESSAGES, SessionKey, SessionStore};

/// Keeps histories in memory: at most 10,000 sessions, each with its newest 1,000 messages.
///
/// The sessions that were used least recently are forgotten first.
pub struct MemorySessions {
    sessions: Cache<SessionKey, Arc<Mutex<VecDeque<ChatMessage>>>>,
}

const MAX_SESSIONS: usize = 10_000;

impl Default for MemorySessions {
    fn default() -> Self {
        Self { sessions: Cache::new(MAX_SESSIONS) }
    }
}

impl MemorySessions {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl SessionStore for MemorySessions {
    async fn load(&self, key: &SessionKey, limit: usize) -> Result<Vec<ChatMessage>, StoreError> {
        let Some(session) = self.sessions.get(key) else { return Ok(Vec::new()) };
        let messages = session.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(messages.iter().skip(messages.len().saturating_sub(limit)).cloned().collect())
    }

    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError> {
        if key.principal().is_empty() {
            return Ok(());
        }
        let new = || Ok::<_, std::convert::Infallible>(Arc::default());
        let session = match self.sessions.get_or_insert_with(key, new) {
            Ok(session) => session,
            Err(never) => match never {},
        };
        let mut stored = session.lock().unwrap_or_else(PoisonError::into_inner);
        stored.extend(messages);
        let surplus = stored.len().saturating_sub(MAX_SESSION_MESSAGES);
        stored.drain(..surplus);
        Ok(())
    }
}

/// Shows the number of sessions.
impl fmt::Debug for MemorySessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySessions").field("sessions", &self.sessions.len()).finish()
    }
}
