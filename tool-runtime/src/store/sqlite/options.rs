//! What may be set before the file is opened.

use std::path::Path;
use std::time::Duration;

use super::Sqlite;
use super::checksum::RowKeys;
use crate::policy::KeyRing;
use crate::store::StoreError;

/// Settings of a [`Sqlite`] store; the defaults are good for most.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    pub(super) busy_timeout: Duration,
    pub(super) sync_commits: bool,
    pub(super) most_waiting: usize,
    pub(super) check_on_open: bool,
    pub(super) checksum_keys: Option<RowKeys>,
    pub(super) adopt_rows: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(5),
            sync_commits: true,
            most_waiting: 10_000,
            check_on_open: true,
            checksum_keys: None,
            adopt_rows: false,
        }
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

    /// Sets whether opening checks the whole file (`PRAGMA quick_check`) and the checksums of its
    /// newest 10,000 keys: it does unless set.
    ///
    /// The check reads the whole file, which takes about a second for each gigabyte. Without it each
    /// row is checked when it is read.
    #[must_use]
    pub fn check_on_open(mut self, check: bool) -> Self {
        self.check_on_open = check;
        self
    }

    /// Seals the rows of idempotency keys under a ring's keys in place of a random key that the file
    /// keeps, so that a program which can write the file cannot change an answer unseen.
    ///
    /// The first key of the ring seals; rows of all its keys are read. Keep a former key for as long
    /// as answers are retained. From then on the file does not open without these keys, and a row
    /// that is sealed under no key of the ring counts as damaged.
    #[must_use]
    pub fn checksum_keys(mut self, keys: &KeyRing) -> Self {
        self.checksum_keys = Some(RowKeys::of_ring(keys));
        self
    }

    /// Seals the rows that are in the file already under [`checksum_keys`](Self::checksum_keys).
    ///
    /// Set it once, for a file that is trusted as it is, and leave it out afterwards.
    #[must_use]
    pub fn adopt_rows(mut self, adopt: bool) -> Self {
        self.adopt_rows = adopt;
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
