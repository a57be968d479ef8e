//! The store of runs that wait between two inputs of a thread.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_contracts::ToolContext;
use tool_runtime_core::store::principal::principal_of;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use uuid::Uuid;

/// Stores runs that wait for a person or for their client.
///
/// A run is a text, which contains a conversation and no approval: keep it as secret as the
/// conversation. It is signed, so that a run that was changed does not continue. A store that loses it
/// loses no ticket: approvers decide about the call through other ways, such as the HTTP API.
/// Implement it over the database that the runtime's store is in, so that both survive a restart. An
/// operation that takes longer than 10 seconds, or panics, has failed.
#[async_trait]
pub trait RunStore: fmt::Debug + Send + Sync {
    /// Returns the run that waits in a thread.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    async fn load(&self, key: &ThreadKey) -> Result<Option<String>, StoreError>;

    /// Stores the run of a thread in place of an earlier one.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written, or is full. The run's calls are then withdrawn.
    async fn save(&self, key: &ThreadKey, run: String) -> Result<(), StoreError>;

    /// Removes the run of a thread, if there is one.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    async fn remove(&self, key: &ThreadKey) -> Result<(), StoreError>;
}

/// The thread that a run belongs to: its id is unique for a tenant and a principal only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThreadKey {
    tenant: Uuid,
    principal: Box<str>,
    thread: Box<str>,
}

impl ThreadKey {
    /// Returns the key of a thread; none if the context has no user and no actor.
    pub(crate) fn for_context(cx: &ToolContext, thread: &str) -> Option<Self> {
        Some(Self { tenant: cx.tenant_id(), principal: principal_of(cx)?, thread: thread.into() })
    }

    /// Returns the tenant.
    #[must_use]
    pub const fn tenant(&self) -> Uuid {
        self.tenant
    }

    /// Returns the principal, such as `user:jane`.
    #[must_use]
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// Returns the client's id of the thread.
    #[must_use]
    pub fn thread(&self) -> &str {
        &self.thread
    }
}

/// Keeps waiting runs in memory: at most 10,000 runs and 256 MiB, 100 runs of one principal.
///
/// No run is dropped to make room, since it may wait for an approval; a full store refuses. Runs that
/// were stored 7 days ago and not since are removed when room is needed.
#[derive(Default)]
pub struct MemoryRuns {
    runs: Mutex<HashMap<ThreadKey, MemoryRun>>,
}

const MAX_RUNS: usize = 10_000;
const MAX_RUNS_OF_PRINCIPAL: usize = 100;
const MAX_BYTES: usize = 256 * 1024 * 1024;
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

struct MemoryRun {
    text: String,
    stored_at: Instant,
}

impl MemoryRuns {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ThreadKey, MemoryRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl RunStore for MemoryRuns {
    async fn load(&self, key: &ThreadKey) -> Result<Option<String>, StoreError> {
        Ok(self.lock().get(key).map(|run| run.text.clone()))
    }

    async fn save(&self, key: &ThreadKey, run: String) -> Result<(), StoreError> {
        let mut runs = self.lock();
        runs.retain(|_, stored| stored.stored_at.elapsed() < LIFETIME);
        let others = || runs.iter().filter(|(other, _)| *other != key);
        let bytes = others().map(|(_, stored)| stored.text.len()).sum::<usize>();
        let is_of_principal =
            |other: &ThreadKey| other.tenant == key.tenant && other.principal == key.principal;
        let of_principal = others().filter(|(other, _)| is_of_principal(other)).count();
        if others().count() >= MAX_RUNS
            || of_principal >= MAX_RUNS_OF_PRINCIPAL
            || bytes.saturating_add(run.len()) > MAX_BYTES
        {
            return Err(StoreError::new(StoreErrorKind::Full, "too many runs wait"));
        }
        runs.insert(key.clone(), MemoryRun { text: run, stored_at: Instant::now() });
        Ok(())
    }

    async fn remove(&self, key: &ThreadKey) -> Result<(), StoreError> {
        self.lock().remove(key);
        Ok(())
    }
}

/// Shows the number of runs.
impl fmt::Debug for MemoryRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRuns").field("runs", &self.lock().len()).finish()
    }
}
