//! The write-ahead log beside the file: that it was not removed or replaced.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::store::{StoreError, StoreErrorKind};

/// How often, and how long apart, the files are looked at before a file is refused.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(5);

/// Refuses a file whose write-ahead log was removed since it was written last.
///
/// SQLite makes the log before its index and removes the index before the log. So an index without
/// a log is left neither by a crash nor by a close; the log, with what was committed into it, was
/// removed. Where both are gone, nothing tells it from a file that was closed.
pub(super) fn check_not_removed(database: &Path) -> Result<(), StoreError> {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    for _ in 0..LOOKS {
        // Another process may be opening or closing the file at this moment.
        if log.exists() || !index.exists() {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
    Err(damaged(
        "its write-ahead log `-wal` was removed, and with it what was committed last: put it back; \
         if it is lost, remove `-shm` too and resolve what was under way",
    ))
}

/// The write-ahead log that a connection has open.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// None where the system tells no files apart.
    opened: Option<FileId>,
}

type FileId = (u64, u64);

impl LogFile {
    /// Finds the log of a connection that is open.
    pub(super) fn of(database: &Path) -> Self {
        let path = beside(database, "-wal");
        let opened = id(&path);
        Self { path, opened }
    }

    /// Checks that the log is still there: what is written into one that was removed or replaced is
    /// seen by no other process, and lost when this one ends.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.opened.is_none() || self.opened == id(&self.path) {
            return Ok(());
        }
        Err(damaged(
            "its write-ahead log `-wal` was removed or replaced while the store was open: close \
             the file in every process and restore it from a backup",
        ))
    }
}

/// SQLite names the files after the database's own path, with its links resolved.
fn beside(database: &Path, suffix: &str) -> PathBuf {
    let database = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let mut name = OsString::from(database);
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
fn id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn id(_: &Path) -> Option<FileId> {
    None
}

fn damaged(log: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, log)
}
