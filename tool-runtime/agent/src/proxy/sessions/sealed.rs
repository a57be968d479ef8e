//! Sessions in a durable store, encrypted.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tool_contracts::ToolContext;
use tool_contracts::assess::ChatMessage;
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{Clock, StoreError, SystemClock, UnixMillis};
use uuid::Uuid;

use super::seal::SessionSeal;
use super::{MAX_SESSION_MESSAGES, SessionKey, SessionStore};

/// The retention of a session after its last message.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The most sessions of a principal.
const MAX_SESSIONS: usize = 1_000;
/// The most sessions that one transaction deletes; others of the database wait for it.
const BATCH_SIZE: usize = 16;

/// Stores sealed messages of sessions: a backend's side of [`SealedSessions`].
///
/// Every lookup names tenant, principal and session. An operation is atomic.
#[doc(hidden)]
#[async_trait]
pub trait SessionTable: fmt::Debug + Send + Sync + 'static {
    /// Returns the newest messages of a session, oldest first.
    async fn load_session(
        &self,
        key: &SessionKey,
        limit: usize,
        expired: UnixMillis,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Appends messages to a session, and deletes what exceeds a bound or has expired.
    async fn append_to_session(
        &self,
        key: &SessionKey,
        messages: Vec<Vec<u8>>,
        times: SessionTimes,
        bounds: SessionBounds,
    ) -> Result<(), StoreError>;

    /// Deletes a session; returns false if there is none.
    async fn delete_session(&self, key: &SessionKey) -> Result<bool, StoreError>;

    /// Deletes at most `limit` sessions of a principal; returns how many.
    async fn delete_sessions_of(
        &self,
        tenant: Uuid,
        principal: Box<str>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` sessions that have expired, of all tenants; returns how many.
    async fn sweep_sessions(&self, expired: UnixMillis, limit: usize) -> Result<usize, StoreError>;
}

/// The bounds of conversations.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SessionBounds {
    /// The most messages of a session.
    pub messages: usize,
    /// The most sessions of a principal, at least 1.
    pub sessions: usize,
}

/// The time of an operation, and the time of the last use up to which sessions have expired.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct SessionTimes {
    pub now: UnixMillis,
    pub expired: UnixMillis,
}

/// Keeps histories in a durable store, encrypted; they survive a restart, and the processes that share the store share
/// them: `SqliteSessions` in a file, `PostgresSessions` for several machines.
///
/// # Encryption
/// Messages are personal data: each is encrypted with AES-256-GCM under a key that is derived from the
/// ring, and bound to its tenant, principal and session, as the calls behind tickets are bound to
/// their tickets. Neither the database nor a copy of it shows a message, and a message that is changed or
/// moved to another session does not open. The ids of tenants, principals and sessions, and the
/// times, are stored as they are. A deleted message, or two of one session that are exchanged, are
/// not detected. A former key has to stay on the ring for as long as sessions are kept.
///
/// # Bounds
/// | kept | bound | beyond it |
/// | --- | --- | --- |
/// | messages of a session | the newest 1,000 | the oldest are deleted |
/// | sessions of a principal | 1,000 ([`sessions_per_principal`](Self::sessions_per_principal)) | its own that was used least recently is deleted |
/// | time after the last message | 30 days ([`retention`](Self::retention)) | the session is no longer read, and is deleted |
///
/// An append that starts a session also deletes expired ones, at least as many as it starts. A
/// program that no longer appends deletes the remaining ones with [`sweep`](Self::sweep).
///
/// ```
/// use tool_runtime::agent::{AgentConfig, ChatModel, ProxyAgent, SqliteSessions};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::prelude::*;
/// use tool_runtime::store::{SqliteStore, StoreError};
///
/// fn agent(runtime: Runtime, model: impl ChatModel + 'static, keys: &KeyRing) -> Result<ProxyAgent, StoreError> {
///     let store = SqliteStore::open("tools.db")?;
///     let agent = ProxyAgent::builder(AgentConfig::default(), runtime, model);
///     Ok(agent.sessions(SqliteSessions::new(store, keys)).build())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct SealedSessions<T> {
    store: T,
    seal: SessionSeal,
    clock: Arc<dyn Clock>,
    retention: Duration,
    max_sessions: usize,
}

impl<T: SessionTable> SealedSessions<T> {
    /// Keeps sessions in a store, encrypted with keys that are derived from a ring.
    #[must_use]
    pub fn new(store: T, keys: &KeyRing) -> Self {
        Self {
            store,
            seal: SessionSeal::from_ring(keys),
            clock: Arc::new(SystemClock),
            retention: RETENTION,
            max_sessions: MAX_SESSIONS,
        }
    }

    /// Sets how long a session is kept after its last message; 30 days by default.
    ///
    /// Processes that share a store should agree: the shortest retention deletes.
    #[must_use]
    pub fn retention(self, retention: Duration) -> Self {
        Self { retention, ..self }
    }

    /// Sets how many sessions a principal may have, from 1; 1,000 by default.
    #[must_use]
    pub fn sessions_per_principal(self, limit: usize) -> Self {
        Self { max_sessions: limit.max(1), ..self }
    }

    /// Sets the clock of the retention; the operating system's wall clock by default.
    #[must_use]
    pub fn clock(self, clock: impl Clock) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Deletes a session; returns false if there is none.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn delete(&self, key: &SessionKey) -> Result<bool, StoreError> {
        self.store.delete_session(key).await
    }

    /// Deletes all sessions of the principal of a context; returns how many.
    ///
    /// # Errors
    /// Returns the store's error; some sessions may be deleted.
    pub async fn delete_all(&self, cx: &ToolContext) -> Result<usize, StoreError> {
        let SessionKey { tenant, principal, .. } = SessionKey::new(cx, "");
        let mut deleted = 0;
        loop {
            let batch =
                self.store.delete_sessions_of(tenant, principal.clone(), BATCH_SIZE).await?;
            deleted += batch;
            if batch < BATCH_SIZE {
                return Ok(deleted);
            }
        }
    }

    /// Deletes expired sessions of all tenants; returns how many.
    ///
    /// One call deletes a batch, so that it takes little time: call it again until it returns 0.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        self.store.sweep_sessions(self.times().expired, BATCH_SIZE).await
    }

    fn times(&self) -> SessionTimes {
        let now: UnixMillis = self.clock.now();
        SessionTimes { now, expired: now.before(self.retention) }
    }

    fn bounds(&self) -> SessionBounds {
        SessionBounds { messages: MAX_SESSION_MESSAGES, sessions: self.max_sessions }
    }
}

#[async_trait]
impl<T: SessionTable> SessionStore for SealedSessions<T> {
    async fn load(&self, key: &SessionKey, limit: usize) -> Result<Vec<ChatMessage>, StoreError> {
        let sealed = self.store.load_session(key, limit, self.times().expired).await?;
        sealed.iter().map(|message| self.seal.open(message, key)).collect()
    }

    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError> {
        if key.principal().is_empty() {
            return Ok(());
        }
        let surplus = messages.len().saturating_sub(MAX_SESSION_MESSAGES);
        let newest = messages.iter().skip(surplus);
        let sealed =
            newest.map(|message| self.seal.seal(message, key)).collect::<Result<_, _>>()?;
        self.store.append_to_session(key, sealed, self.times(), self.bounds()).await
    }
}
