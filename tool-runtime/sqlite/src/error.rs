//! Converts SQLite's errors to store errors.

use rusqlite::{Error, ErrorCode, ffi};
use tool_runtime_core::store::{StoreError, StoreErrorKind};

/// Converts an error of SQLite. Statements contain no values, so its texts contain none either.
pub(crate) fn store_error(error: &Error) -> StoreError {
    StoreError::new(kind(error), text(error))
}

/// Creates an error of kind `Unavailable`.
pub(super) fn unavailable(log: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, log)
}

/// Creates an error of kind `Damaged`.
pub(crate) fn damaged(log: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, log)
}

/// Returns whether another connection holds a lock.
pub(super) fn is_locked(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn kind(error: &Error) -> StoreErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull | ErrorCode::TooBig) => StoreErrorKind::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreErrorKind::ReadOnly,
        // `Unknown` is an SQL error: the tables have another schema. A value that cannot be read
        // has no SQLite code.
        None
        | Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::Unknown,
        ) => StoreErrorKind::Damaged,
        Some(_) => StoreErrorKind::Unavailable,
    }
}

fn text(error: &Error) -> String {
    match error {
        Error::SqliteFailure(code, message) => failure(*code, message.as_deref()),
        Error::FromSqlConversionFailure(column, ..)
        | Error::IntegralValueOutOfRange(column, _)
        | Error::InvalidColumnType(column, ..) => {
            format!("column {column} of a row has a value that the store did not write")
        }
        Error::Utf8Error(..) => "a row has a text that is not UTF-8".to_owned(),
        Error::ToSqlConversionFailure(what) => what.to_string(),
        // The set of variants depends on the release of rusqlite and on its features.
        other => format!("the tables do not have the store's schema: {other}"),
    }
}

fn failure(error: ffi::Error, message: Option<&str>) -> String {
    let code = error.extended_code;
    match message {
        Some(message) => format!("{message} (SQLite's code {code})"),
        None => format!("{} (SQLite's code {code})", ffi::code_to_str(code)),
    }
}
