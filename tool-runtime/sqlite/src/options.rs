//! The settings of a SQLite store.

use std::path::Path;
use std::time::Duration;

use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{StoreError, StoreExport};

use super::checksum::RowKeys;
use super::{SqliteStore, export};

/// Settings of a [`SqliteStore`].
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings, each with a setter")]
pub struct SqliteOptions {
    pub(super) busy_timeout: Duration,
    pub(super) sync_commits: bool,
    pub(super) max_queued: usize,
    pub(super) check_on_open: bool,
    pub(super) checksum_keys: Option<RowKeys>,
    pub(super) adopt_rows: bool,
    pub(super) allow_wal_reset_bug: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(5),
            sync_commits: true,
            max_queued: 10_000,
            check_on_open: true,
            checksum_keys: None,
            adopt_rows: false,
            allow_wal_reset_bug: false,
        }
    }
}

impl SqliteOptions {
    /// Sets how long an operation waits while another process writes; 5 seconds by default.
    ///
    /// After it, operations fail as
    /// [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable).
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Sets whether each commit is synced to disk; true by default.
    ///
    /// Without it (`synchronous = NORMAL`) nothing is lost when the process crashes, but the last
    /// confirmed operations may be lost when the machine crashes: a write under a key may run
    /// twice.
    #[must_use]
    pub fn sync_commits(mut self, sync: bool) -> Self {
        self.sync_commits = sync;
        self
    }

    /// Sets how many operations may be queued; 10,000 by default.
    ///
    /// Further operations fail at once as
    /// [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable).
    #[must_use]
    pub fn max_queued(mut self, limit: usize) -> Self {
        self.max_queued = limit;
        self
    }

    /// Sets whether opening checks the whole file (`PRAGMA quick_check`) and the checksums of its
    /// newest 10,000 keys; true by default.
    ///
    /// The check reads the whole file, which takes about a second for each gigabyte. Without it,
    /// each row is still verified when it is read.
    #[must_use]
    pub fn check_on_open(mut self, check: bool) -> Self {
        self.check_on_open = check;
        self
    }

    /// Sets the keys of the checksums of idempotency keys, instead of a random key that the file
    /// contains, so that changes by a program that can write the file are detected.
    ///
    /// The ring's current key signs; rows of all its keys are accepted. Keep a former key for as
    /// long as answers are retained. From then on the file does not open without these keys, and a
    /// row with a checksum of another key counts as damaged.
    #[must_use]
    pub fn checksum_keys(mut self, keys: &KeyRing) -> Self {
        self.checksum_keys = Some(RowKeys::from_ring(keys));
        self
    }

    /// Signs the existing rows with [`checksum_keys`](Self::checksum_keys).
    ///
    /// Set it once, for a file that you trust, and not again.
    #[must_use]
    pub fn adopt_rows(mut self, adopt: bool) -> Self {
        self.adopt_rows = adopt;
        self
    }

    /// Sets whether a linked SQLite with the WAL-reset bug is accepted; false by default.
    ///
    /// SQLite 3.7.0 to 3.51.2, except 3.44.6 and 3.50.7, can lose commits or damage the file if two
    /// connections write and checkpoint at the same moment
    /// (<https://sqlite.org/wal.html#walresetbug>). Accept it only if one connection at a time has
    /// the file open: no other process, and no ledger in the same file.
    #[must_use]
    pub fn allow_wal_reset_bug(mut self, allow: bool) -> Self {
        self.allow_wal_reset_bug = allow;
        self
    }

    /// Opens or creates the store in a file; see [`SqliteStore::open`].
    ///
    /// # Errors
    /// Returns the errors of [`SqliteStore::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        SqliteStore::start(path.as_ref(), &self)
    }

    /// Opens an existing file to copy its rows to another store, such as `PostgresStore::import`.
    ///
    /// Until the export is dropped, no process can write the file: stop those that use it first, and do not start them
    /// on this file again. The records of a ledger are not exported: keep the file for them.
    ///
    /// It blocks on file I/O, as reading the rows does.
    ///
    /// # Errors
    /// Returns the errors of [`SqliteStore::open`], and `Unavailable` if the file does not exist or another process is
    /// writing; `Damaged` if a key fails its checksum, which [`damaged_keys`](SqliteStore::damaged_keys) lists
    /// then. Reading the rows fails as `Damaged` at a row that cannot be read.
    ///
    /// # Examples
    /// ```
    /// # fn doc(folder: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::store::SqliteStore;
    ///
    /// let export = SqliteStore::options().export(folder.join("tools.db"))?;
    /// println!("{} to copy", export.counts);
    /// # Ok(())
    /// # }
    /// ```
    pub fn export(self, path: impl AsRef<Path>) -> Result<StoreExport, StoreError> {
        export::export(path.as_ref(), &self)
    }
}
