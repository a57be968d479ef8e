//! The histories of conversations.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quick_cache::sync::Cache;
use uuid::Uuid;

use crate::contracts::ToolContext;
use crate::contracts::assess::ChatMessage;
use crate::policy::principal::principal_of;
use crate::store::StoreError;

/// A conversation of one principal of one tenant: nobody else's request finds it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    tenant: Uuid,
    principal: Box<str>,
    session: Box<str>,
}

impl SessionKey {
    /// Creates the key of a session for the tenant and the user, or else the actor, of a context.
    #[must_use]
    pub fn new(cx: &ToolContext, session: &str) -> Self {
        let principal = principal_of(cx).unwrap_or_default();
        Self { tenant: cx.tenant_id(), principal, session: session.into() }
    }

    /// Returns the tenant.
    #[must_use]
    pub const fn tenant(&self) -> Uuid {
        self.tenant
    }

    /// Returns the principal as text; empty if the context has neither a user nor an actor.
    #[must_use]
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// Returns the session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }
}

/// Shows the tenant only.
impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionKey").field("tenant", &self.tenant).finish_non_exhaustive()
    }
}

/// Stores the histories of conversations.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Returns the newest messages of a session, at most `most`, oldest first; none for a new one.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    async fn load(&self, key: &SessionKey, most: usize) -> Result<Vec<ChatMessage>, StoreError>;

    /// Appends messages to a session, all or none.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError>;
}

/// Keeps histories in memory: at most 10,000 sessions, each with its newest 1,000 messages.
///
/// The sessions that were used least recently are forgotten first.
pub struct MemorySessions {
    sessions: Cache<SessionKey, Arc<Mutex<VecDeque<ChatMessage>>>>,
}

const MOST_SESSIONS: usize = 10_000;
const MOST_MESSAGES: usize = 1_000;

impl Default for MemorySessions {
    fn default() -> Self {
        Self { sessions: Cache::new(MOST_SESSIONS) }
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
    async fn load(&self, key: &SessionKey, most: usize) -> Result<Vec<ChatMessage>, StoreError> {
        let Some(session) = self.sessions.get(key) else { return Ok(Vec::new()) };
        let messages = session.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(messages.iter().skip(messages.len().saturating_sub(most)).cloned().collect())
    }

    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError> {
        let new = || Ok::<_, std::convert::Infallible>(Arc::default());
        let session = match self.sessions.get_or_insert_with(key, new) {
            Ok(session) => session,
            Err(never) => match never {},
        };
        let mut stored = session.lock().unwrap_or_else(PoisonError::into_inner);
        stored.extend(messages);
        let surplus = stored.len().saturating_sub(MOST_MESSAGES);
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
