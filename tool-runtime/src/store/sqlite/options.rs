//! What may be set before the file is opened.

use std::path::Path;
use std::time::Duration;

use super::Sqlite;
use crate::store::StoreError;

/// Settings of a [`Sqlite`] store; the defaults are good for most.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    pub(super) busy_timeout: Duration,
    pub(super) sync_commits: bool,
    pub(super) most_waiting: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), sync_commits: true, most_waiting: 10_000 }
    }
}

impl SqliteOptions {
    /// Sets how long to wait while another process writes: 5 seconds unless set.
    ///
    /// After it, operations fail as
    /// [`Unavailable`](crate::store::StoreErrorKind::Unavailable).
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Sets whether each commit waits for the disk: it does unless set.
    ///
    /// Without it (`synchronous = NORMAL`) nothing is lost when the process dies, but the last
    /// confirmed operations may be lost when the machine does: a write under a key may run twice.
    #[must_use]
    pub fn sync_commits(mut self, sync: bool) -> Self {
        self.sync_commits = sync;
        self
    }

    /// Sets how many operations may wait at once: 10,000 unless set.
    ///
    /// One more fails as [`Unavailable`](crate::store::StoreErrorKind::Unavailable), without
    /// waiting.
    #[must_use]
    pub fn most_waiting(mut self, most: usize) -> Self {
        self.most_waiting = most;
        self
    }

    /// Opens the store in a file, or makes it; see [`Sqlite::open`].
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<Sqlite, StoreError> {
        Sqlite::start(path.as_ref(), &self)
    }
}
