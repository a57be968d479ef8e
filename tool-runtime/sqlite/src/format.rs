//! The format of the file: application id, version, and migrations.

use rusqlite::{Connection, TransactionBehavior};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::error::store_error;

/// The application id of the store's files: "tool" in ASCII.
const APPLICATION_ID: i32 = 0x746f_6f6c;

/// The migrations from each version to the next, each in one transaction.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/1.sql"),
    include_str!("migrations/2.sql"),
    include_str!("migrations/3.sql"),
];

/// Refuses a file of another application, or of an unknown version.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    version(connection).map(drop)
}

/// Migrates the file to the newest version. Several processes may do it at once.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    while version(connection)? < MIGRATIONS.len() {
        migrate_once(connection)?;
    }
    Ok(())
}

/// Returns how many migrations the file has had. It is read in one transaction, because another
/// process may be creating the file.
pub(crate) fn version(connection: &Connection) -> Result<usize, StoreError> {
    let reading = connection.unchecked_transaction().map_err(|error| store_error(&error))?;
    FileFormat::read(&reading)?.version()
}

/// Applies one migration, from the version that the file has under its lock.
fn migrate_once(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| store_error(&error))?;
    let version = FileFormat::read(&transaction)?.version()?;
    if let Some(migration) = MIGRATIONS.get(version) {
        transaction
            .execute_batch(migration)
            .and_then(|()| transaction.pragma_update(None, "application_id", APPLICATION_ID))
            .and_then(|()| transaction.pragma_update(None, "user_version", count(version + 1)))
            .map_err(|error| store_error(&error))?;
    }
    transaction.commit().map_err(|error| store_error(&error))
}

/// The format that a file declares.
struct FileFormat {
    application: i32,
    version: i64,
    is_empty: bool,
}

impl FileFormat {
    fn read(connection: &Connection) -> Result<Self, StoreError> {
        let read = || -> rusqlite::Result<Self> {
            Ok(Self {
                application: connection
                    .pragma_query_value(None, "application_id", |row| row.get(0))?,
                version: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
                is_empty: connection.query_row(
                    "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
                    [],
                    |row| row.get(0),
                )?,
            })
        };
        read().map_err(|error| store_error(&error))
    }

    /// Returns how many migrations the file has had.
    fn version(&self) -> Result<usize, StoreError> {
        if self.is_empty && self.application == 0 && self.version == 0 {
            return Ok(0);
        }
        if self.application != APPLICATION_ID {
            return damaged(
                "it is another application's database: use a separate file for the store",
            );
        }
        match usize::try_from(self.version) {
            Ok(version) if version <= MIGRATIONS.len() => Ok(version),
            _ => damaged(format!(
                "its format is version {}, and this release supports up to {}: open it with the release \
                 that wrote it, or a newer one",
                self.version,
                MIGRATIONS.len()
            )),
        }
    }
}

fn damaged(log: impl Into<String>) -> Result<usize, StoreError> {
    Err(StoreError::new(StoreErrorKind::Damaged, log))
}
