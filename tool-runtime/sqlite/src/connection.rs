//! Opens and configures the connection to the file.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags};
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::error::{damaged, is_locked, store_error, unavailable};
use super::wal_file::check_not_removed;
use super::{SqliteOptions, format, library_version};

/// The size of the cache of prepared statements: more than there are statements.
const STATEMENTS: usize = 80;

/// The delay before a lock is tried again for which SQLite itself does not wait.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// Opens or creates the file, and migrates it to the newest version.
pub(crate) fn open(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let open = || {
        library_version::check(options.allow_wal_reset_bug)?;
        create(path).map_err(|error| StoreError::from_io_error(&error))?;
        connect(path, options)
    };
    open().map_err(|error| named(path, error))
}

/// Opens an existing file, and migrates it to the newest version.
pub(super) fn open_existing(
    path: &Path,
    options: &SqliteOptions,
) -> Result<Connection, StoreError> {
    library_version::check(options.allow_wal_reset_bug)?;
    let has_tables = format::version(&raw(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?)? > 0;
    if has_tables {
        return connect(path, options);
    }
    Err(damaged("the file is empty, and no store has used it"))
}

pub(super) fn named(path: &Path, error: StoreError) -> StoreError {
    error.at(format_args!("cannot open `{}`", path.display()))
}

/// Creates the file if there is none, accessible to its owner only: it will contain users' answers.
fn create(path: &Path) -> io::Result<()> {
    // A process that closes a file loses all its locks on it. Under this lock, no other thread of
    // the process opens the new file before it is closed here.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
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
    configure(&connection, options).map_err(|error| store_error(&error))?;
    format::check(&connection)?;
    enable_wal(&connection, options.busy_timeout)?;
    format::migrate(&mut connection)?;
    Ok(connection)
}

pub(super) fn raw(path: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    // An absolute path is never one of SQLite's special names.
    let path = std::path::absolute(path).map_err(|error| StoreError::from_io_error(&error))?;
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| store_error(&error))
}

/// Refuses a file that SQLite has silently opened read-only, because it is not writable.
fn check_writable(connection: &Connection) -> Result<(), StoreError> {
    if connection.is_readonly(MAIN_DB).map_err(|error| store_error(&error))? {
        return Err(StoreError::new(StoreErrorKind::ReadOnly, "the file is not writable"));
    }
    Ok(())
}

/// Applies the settings of the connection.
pub(super) fn configure(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    let synchronous = if options.sync_commits { "FULL" } else { "NORMAL" };
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without it, SQLite compiles a cached statement anew for each value of a parameter that it compares with the
    // condition of a partial index, or that a `LIMIT` takes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(options.busy_timeout)?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Deleted data is overwritten if that writes no additional page.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Enables the write-ahead log, and checks that it is enabled.
fn enable_wal(connection: &Connection, timeout: Duration) -> Result<(), StoreError> {
    let until = Instant::now() + timeout;
    let enable =
        || connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
    let mode: String = loop {
        match enable() {
            Err(error) if is_locked(&error) && Instant::now() < until => thread::sleep(RETRY_DELAY),
            other => break other.map_err(|error| store_error(&error))?,
        }
    };
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    Err(unavailable(format!(
        "its journal mode is `{mode}` and cannot be set to `wal`: the store needs a local file \
         system with shared memory"
    )))
}
