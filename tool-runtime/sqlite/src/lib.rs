//! A durable store in one SQLite file.
//!
//! One thread has the connection. It runs the queued operations in one transaction, syncs to disk
//! once, and then answers them all: see `writer`. Handles have no connection; they send operations
//! through a `queue`. Each trait has a file with its operations.
//!
//! Depend on `tool-runtime` with the feature `sqlite`, which re-exports what is public here.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod account_needs;
mod archive;
mod budgets;
mod checksum;
mod claim;
mod columns;
mod connection;
mod error;
mod evidence;
mod evidence_keys;
mod export;
mod format;
mod grants;
mod integrity;
mod keys;
#[cfg(feature = "ledger")]
mod ledger;
mod library_version;
mod options;
mod outbox;
mod outputs;
mod queue;
#[cfg(feature = "ledger")]
mod reader;
mod row;
#[cfg(feature = "agent")]
mod sessions;
mod settle;
mod store_clock;
#[cfg(test)]
mod tests;
mod tickets;
mod transaction;
mod transaction_error;
mod wal_file;
mod writer;

use std::fmt;
use std::path::Path;

/// The library in whose types a [`SqliteTransaction`] runs its statements, in the version of this build.
pub use rusqlite;
use rusqlite::Connection;
use tool_runtime_core::store::{KeyRecord, StoreError};

use self::checksum::RowKeys;
pub use self::integrity::FileCheck;
#[cfg(feature = "ledger")]
pub use self::ledger::SqliteLedger;
pub use self::options::SqliteOptions;
use self::queue::Queue;
#[cfg(feature = "agent")]
pub use self::sessions::SqliteSessions;
pub use self::transaction::SqliteTransaction;
pub use self::transaction_error::SqliteTransactionError;
use self::wal_file::WalFile;
use self::writer::JobKind;

/// A durable store in one SQLite file: it loses nothing that it has confirmed.
///
/// Clones share one thread and one connection. Other processes may open the same file at the same
/// time: all decisions are made under the file's lock. The file has to be on a local file system,
/// because SQLite's write-ahead log (`-wal` and `-shm` in the same folder) needs shared memory.
///
/// Operations that wait at the same time are committed together, with one sync to disk. No
/// operation blocks the thread that awaits it. A failed operation has changed nothing, and the
/// others of its transaction are not affected; if the whole transaction fails, because the disk is
/// full or the file stays locked, all of its operations fail. The store is usable again once the
/// cause has ended.
///
/// Its size is limited by the disk only, also for a single tenant: watch the file's size, and limit
/// the tenants' rates. The policy limits the unknown outcomes and waiting tickets of each caller.
///
/// # Damage
/// Opening the file checks its structure (`PRAGMA quick_check`), and the checksums of the newest
/// keys. Each row of an idempotency key has a checksum over all its columns and two independent
/// lookups, so that damage to one of them does not make its key look new. A row that fails its
/// checksum is an unknown outcome: it is neither replayed nor run again, and a person
/// [resolves](tool_runtime_core::policy::Outcomes::resolve) it.
///
/// By default the checksums have a random key that the file contains, which detects accidental
/// changes. With [`SqliteOptions::checksum_keys`] the host supplies the key, which also detects
/// changes by a program that can write the file but does not have the key. Neither detects a
/// deleted row, or a file that was replaced by an older copy.
///
/// # Cancellation
/// A claim is undone when its future is dropped. Any other operation that is queued is executed.
///
/// # Shutdown
/// Dropping the last handle ends the thread after the queued operations. [`close`](Self::close)
/// ends it explicitly, and waits for it.
///
/// # Example
/// ```
/// # async fn doc(folder: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
/// use tool_runtime::store::SqliteStore;
///
/// let store = SqliteStore::open(folder.join("tools.db"))?;
/// # store.close().await;
/// # Ok(())
/// # }
/// ```
///
/// # SQLite
/// The feature `sqlite` compiles SQLite, `sqlite-unbundled` links the system's. Another database
/// library in the same build may decide on its version; one with the WAL-reset bug (3.7.0 to 3.51.2,
/// except 3.44.6 and 3.50.7) is refused. rusqlite needs Rust 1.89 from its release 0.41 on.
#[derive(Clone)]
pub struct SqliteStore {
    queue: Queue,
    row_keys: RowKeys,
    check: FileCheck,
}

impl SqliteStore {
    /// Opens the store in a file, or creates it, readable by its owner only.
    ///
    /// It blocks on file I/O: if the file may be locked for long, call it before the async runtime
    /// starts, or on a blocking thread.
    ///
    /// # Errors
    /// Returns `Damaged` if the file is not a database, belongs to another application, has a
    /// newer format, has lost its write-ahead log (a `-shm` without a `-wal`), fails
    /// `quick_check`, or has rows with checksums of other keys; `ReadOnly` if the file or its
    /// folder is not writable; `Unavailable` if it stays locked, its folder does not exist, its
    /// file system has no shared memory, or the linked SQLite has the WAL-reset bug
    /// ([`SqliteOptions::allow_wal_reset_bug`]).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path)
    }

    /// Returns the default settings, which can be changed before opening.
    #[must_use]
    pub fn options() -> SqliteOptions {
        SqliteOptions::default()
    }

    /// Closes the file for all handles after the queued operations, and waits until it is closed.
    ///
    /// Later operations fail as [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable). Without it
    /// nothing is lost; after it the file has no separate log, and can be copied.
    pub async fn close(&self) {
        self.queue.close().await;
    }

    /// Returns the result of the check at opening.
    #[must_use]
    pub const fn check(&self) -> FileCheck {
        self.check
    }

    /// Lists the damaged keys of all tenants, at most `limit`, the oldest first.
    ///
    /// The tenant or key in a damaged row may be wrong. Correct the record's `key` before you
    /// [resolve](tool_runtime_core::policy::Outcomes::resolve) it.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn damaged_keys(&self, limit: usize) -> Result<Vec<KeyRecord>, StoreError> {
        let keys = self.row_keys.clone();
        let list = move |connection: &Connection| integrity::damaged(connection, &keys, limit);
        self.queue.run(JobKind::Read, list).await
    }

    fn start(path: &Path, options: &SqliteOptions) -> Result<Self, StoreError> {
        let mut connection = connection::open(path, options)?;
        let mut opened = || -> Result<_, StoreError> {
            if options.check_on_open {
                integrity::check_file(&connection)?;
            }
            let host_keys = options.checksum_keys.as_ref();
            let row_keys = checksum::prepare(&mut connection, host_keys, options.adopt_rows)?;
            let check = integrity::check_rows(&connection, &row_keys, options.check_on_open)?;
            Ok((row_keys, check))
        };
        let (row_keys, check) = opened().map_err(|error| connection::named(path, error))?;
        let queue = writer::start(connection, WalFile::new(path), options.max_queued)?;
        Ok(Self { queue, row_keys, check })
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
