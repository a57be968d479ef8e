//! Detects that the write-ahead log of the file was removed or replaced.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tool_runtime_core::store::StoreError;

use super::error::damaged;

/// The number of checks before a file is refused, and the delay between them.
const MAX_CHECKS: u32 = 5;
const CHECK_DELAY: Duration = Duration::from_millis(5);

/// Refuses a file whose write-ahead log was removed after the last write.
///
/// SQLite creates the log before its index and removes the index before the log. Neither a crash
/// nor a close therefore leaves an index without a log: the log was removed, with the commits in
/// it. If both are missing, the file looks like one that was closed.
pub(super) fn check_not_removed(database: &Path) -> Result<(), StoreError> {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    for _ in 0..MAX_CHECKS {
        // Another process may be opening or closing the file.
        if log.exists() || !index.exists() {
            return Ok(());
        }
        thread::sleep(CHECK_DELAY);
    }
    Err(damaged(
        "its write-ahead log `-wal` was removed, and with it the last commits: restore it; if it is \
         lost, remove `-shm` too and resolve the calls that were running",
    ))
}

/// The write-ahead log that a connection has open.
#[derive(Debug)]
pub(super) struct WalFile {
    path: PathBuf,
    /// None if the system has no file ids.
    opened: Option<FileId>,
}

type FileId = (u64, u64);

impl WalFile {
    /// Returns the log of an open connection.
    pub(super) fn new(database: &Path) -> Self {
        let path = beside(database, "-wal");
        let opened = file_id(&path);
        Self { path, opened }
    }

    /// Checks that the log is the one that was opened: writes to a removed or replaced log are not
    /// seen by other processes, and are lost when this one ends.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.opened.is_none() || self.opened == file_id(&self.path) {
            return Ok(());
        }
        Err(damaged(
            "its write-ahead log `-wal` was removed or replaced while the store was open: close \
             the file in every process and restore it from a backup",
        ))
    }
}

/// Returns the path of a file in the database's folder, which SQLite derives from the resolved path.
fn beside(database: &Path, suffix: &str) -> PathBuf {
    let database = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let mut name = OsString::from(database);
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<FileId> {
    None
}
