//! Opening the file: that it is there, how it is written, and what is refused.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::error::{is_locked, of_sqlite, unavailable};
use super::log_file::check_not_removed;
use super::{SqliteOptions, format};
use crate::store::{StoreError, StoreErrorKind};

/// How many prepared statements are kept: more than there are.
const STATEMENTS: usize = 64;

/// How long to wait before a lock is tried again that SQLite itself does not wait for.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens the file, or makes it, and brings it to the newest version of the format.
pub(crate) fn open(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let opened = make(path).map_err(|error| StoreError::of_system(&error));
    opened.and_then(|()| connect(path, options)).map_err(|error| named(path, error))
}

/// Opens a file that is there, to read it alone; another process may be writing it.
pub(crate) fn open_to_read(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let open = || {
        check_not_removed(path)?;
        let connection = raw(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        configure(&connection, options).map_err(|error| of_sqlite(&error))?;
        format::check(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| named(path, error))
}

pub(super) fn named(path: &Path, error: StoreError) -> StoreError {
    error.at(format_args!("cannot open `{}`", path.display()))
}

/// Makes the file if there is none, for its owner alone: it will hold users' answers.
fn make(path: &Path) -> io::Result<()> {
    // A process that closes a file gives up all its locks on it. While this is held, nobody here
    // has opened the new file before it is closed.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

fn connect(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    check_not_removed(path)?;
    let mut connection = raw(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    check_writable(&connection)?;
    configure(&connection, options).map_err(|error| of_sqlite(&error))?;
    format::check(&connection)?;
    turn_log_on(&connection, options.busy_timeout)?;
    format::migrate(&mut connection)?;
    Ok(connection)
}

fn raw(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    // An absolute path is never one of the names that mean something else to SQLite.
    let path = std::path::absolute(path).map_err(|error| StoreError::of_system(&error))?;
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| of_sqlite(&error))
}

/// SQLite opens a file that it may not write for reading, and says nothing.
fn check_writable(connection: &Connection) -> Result<(), StoreError> {
    if connection.is_readonly("main").map_err(|error| of_sqlite(&error))? {
        return Err(StoreError::new(StoreErrorKind::ReadOnly, "the file may not be written"));
    }
    Ok(())
}

/// Sets what lies in the connection alone.
fn configure(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    let synchronous = if options.sync_commits { "FULL" } else { "NORMAL" };
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_timeout(options.busy_timeout)?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // What is deleted is overwritten, where that costs no page more to write.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Turns the write-ahead log on, and sees that it is.
fn turn_log_on(connection: &Connection, patience: Duration) -> Result<(), StoreError> {
    let until = Instant::now() + patience;
    let turn = || connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
    let mode: String = loop {
        match turn() {
            Err(error) if is_locked(&error) && Instant::now() < until => thread::sleep(PAUSE),
            other => break other.map_err(|error| of_sqlite(&error))?,
        }
    };
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(unavailable(format!(
        "its journal mode is `{mode}` and cannot be made `wal`: the store needs a local file \
         system with shared memory"
    )))
}
