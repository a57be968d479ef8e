//! A store in one file that survives a crash.
//!
//! One thread writes. It takes the operations that wait, runs them in one transaction, waits once
//! for the disk, and only then answers each: see `writer`. Handles hold no connection; they put
//! operations into the thread's `queue`. One file a trait says what is done in a transaction.

mod archive;
mod checking;
mod checksum;
mod claim;
pub(crate) mod columns;
pub(crate) mod connection;
pub(crate) mod error;
#[cfg(feature = "evidence")]
mod evidence;
#[cfg(feature = "evidence")]
mod evidence_keys;
pub(crate) mod format;
mod grants;
mod keys;
mod log_file;
mod options;
mod outputs;
mod queue;
mod row;
mod settling;
#[cfg(test)]
mod tests;
mod tickets;
mod timeline;
mod writer;

use std::fmt;
use std::path::Path;

use rusqlite::Connection;

pub use self::checking::FileCheck;
use self::checksum::RowKeys;
use self::log_file::LogFile;
pub use self::options::SqliteOptions;
use self::queue::Queue;
use self::writer::Work;
use super::{KeyRecord, StoreError};

/// A store in one file (SQLite) that forgets nothing it has confirmed.
///
/// A handle: its clones share one thread and one connection. Other processes may open the same
/// file at the same time; whatever is decided, is decided under the file's lock. It has to be a
/// local file: SQLite's write-ahead log, kept beside it as `-wal` and `-shm`, needs shared memory.
///
/// Operations that wait at the same time are committed together, and wait together for the disk.
/// No operation blocks the thread that awaits it. An operation that fails has changed nothing, and
/// the others of its transaction are unharmed; where the whole transaction fails, because the disk
/// is full or the file stays locked, all of its operations do. The store is usable again once the
/// cause is gone.
///
/// It has no bound but the disk, and none for a tenant: watch the file's size, and bound what a
/// tenant may ask by rates. What one caller may leave open is bounded by the policy: unknown
/// outcomes and waiting tickets.
///
/// # Damage
/// Opening the file checks it (`PRAGMA quick_check`), and the checksums of the newest keys. Each row
/// of an idempotency key carries a checksum over all its columns, and is found in two ways, so that
/// damage to one of them does not make its key look new. A row that fails its checksum is an
/// unknown outcome: it is neither replayed nor run again, and a person
/// [resolves](crate::Runtime::resolve_outcome) it.
///
/// The checksum's key is a random one that the file keeps, which finds what a disk, a program or a
/// person changed by accident. [`SqliteOptions::checksum_keys`] takes it from the host, so that a
/// change by a program that can write the file, and has not the host's key, is found as well. Neither
/// finds a row that was deleted, or a file that was put back to an older copy.
///
/// # Cancellation
/// A claim is undone when its future is dropped. Any other operation that has begun to wait is
/// carried out even so.
///
/// # When it ends
/// The last handle that is dropped ends the thread, after what still waits. [`close`](Self::close)
/// does it at once, and waits for it.
///
/// # Example
/// ```
/// # async fn doc(folder: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
/// use tool_runtime::store::Sqlite;
///
/// let store = Sqlite::open(folder.join("tools.db"))?;
/// # store.close().await;
/// # Ok(())
/// # }
/// ```
///
/// # Compiler
/// The feature `sqlite` needs Rust 1.89, because rusqlite does.
#[derive(Clone)]
pub struct Sqlite {
    queue: Queue,
    row_keys: RowKeys,
    check: FileCheck,
}

impl Sqlite {
    /// Opens the store in a file, or makes it, readable by its owner alone.
    ///
    /// Reads and may write the file before it returns: where the file may be locked for long,
    /// call it before the async runtime starts, or on a thread that may wait.
    ///
    /// # Errors
    /// `Damaged` if it is not a database, another application's, of a newer format, without its
    /// write-ahead log (a `-shm` without a `-wal`), or fails
    /// SQLite's `quick_check`, or if its rows are sealed under other keys; `ReadOnly`
    /// if it or its folder may not be written; `Unavailable` if it stays locked, its folder does
    /// not exist, or its file system has no shared memory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path)
    }

    /// Starts with the default settings, to change some before opening.
    #[must_use]
    pub fn options() -> SqliteOptions {
        SqliteOptions::default()
    }

    /// Closes the file for all handles, after what already waits, and waits until it is done.
    ///
    /// Later operations fail as [`Unavailable`](super::StoreErrorKind::Unavailable). Nothing is
    /// lost without it; with it the file stands alone, ready to be copied.
    pub async fn close(&self) {
        self.queue.close().await;
    }

    /// Returns what opening the file found.
    #[must_use]
    pub const fn check(&self) -> FileCheck {
        self.check
    }

    /// Lists the keys of all tenants whose rows were found damaged, at most `most`, the oldest
    /// first.
    ///
    /// A damaged row may name another tenant or key than it did. Put the right ones into the
    /// record's `key` before you [resolve](crate::Runtime::resolve_outcome) it.
    ///
    /// # Errors
    /// The store's.
    pub async fn damaged_keys(&self, most: usize) -> Result<Vec<KeyRecord>, StoreError> {
        let keys = self.row_keys.clone();
        let list = move |connection: &Connection| checking::damaged(connection, &keys, most);
        self.queue.ask(Work::Read, list).await
    }

    fn start(path: &Path, options: &SqliteOptions) -> Result<Self, StoreError> {
        let mut connection = connection::open(path, options)?;
        let mut opened = || -> Result<_, StoreError> {
            if options.check_on_open {
                checking::check_file(&connection)?;
            }
            let hosted = options.checksum_keys.as_ref();
            let row_keys = checksum::prepare(&mut connection, hosted, options.adopt_rows)?;
            let check = checking::check_rows(&connection, &row_keys, options.check_on_open)?;
            Ok((row_keys, check))
        };
        let (row_keys, check) = opened().map_err(|error| connection::named(path, error))?;
        let queue = writer::start(connection, LogFile::of(path), options.most_waiting)?;
        Ok(Self { queue, row_keys, check })
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}
