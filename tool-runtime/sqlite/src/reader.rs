//! Opens a file that another program may be writing, for the ledger's readers.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tool_runtime_core::store::StoreError;

use super::connection::{configure, named, raw};
use super::error::store_error;
use super::wal_file::check_not_removed;
use super::{SqliteOptions, format};

/// Opens an existing file read-only; another process may be writing it.
pub(crate) fn open_to_read(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let open = || {
        check_not_removed(path)?;
        let connection = raw(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        configure(&connection, options).map_err(|error| store_error(&error))?;
        format::check(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| named(path, error))
}
