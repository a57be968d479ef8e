//! Converts PostgreSQL's errors to store errors.

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

/// Creates an error of kind `Unavailable`.
pub(crate) fn unavailable(log: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, log)
}

/// Creates an error of kind `Damaged`.
pub(crate) fn damaged(log: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, log)
}

/// Converts an error of PostgreSQL. Its detail, which may contain values, is left out.
pub(crate) fn store_error(error: &Error) -> StoreError {
    let Some(server_error) = error.as_db_error() else {
        return unavailable(connection_text(error));
    };
    let (code, message) = (server_error.code(), server_error.message());
    let (kind, cure) = kind_and_cure(code);
    StoreError::new(kind, format!("{message}{cure} (SQLSTATE {})", code.code()))
}

/// Returns whether the server rolled the transaction back because of another one, so that the same
/// transaction may be repeated.
pub(crate) fn is_conflict(error: &Error) -> bool {
    let conflicts = [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::LOCK_NOT_AVAILABLE,
    ];
    error.code().is_some_and(|code| conflicts.contains(&code))
}

pub(crate) fn pool_error(error: &PoolError) -> StoreError {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => unavailable(
            "no connection was free in time: raise `max_connections`, or look for slow statements",
        ),
        PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle) => {
            unavailable("the server did not accept a connection in time")
        }
        PoolError::Backend(error) => store_error(error),
        PoolError::Closed => unavailable("the store was closed"),
        PoolError::NoRuntimeSpecified => unavailable("the pool has time limits and no runtime"),
        PoolError::PostCreateHook(_) => {
            unavailable("a hook of the host's pool refused the connection")
        }
    }
}

fn kind_and_cure(code: &SqlState) -> (StoreErrorKind, &'static str) {
    use StoreErrorKind::{Damaged, Full, ReadOnly, Unavailable};
    match code.code() {
        "53100" | "54000" | "53200" => (Full, ""),
        "25006" => (ReadOnly, ": connect to the primary server"),
        "42501" => (ReadOnly, ": grant the role what the guide's page about PostgreSQL lists"),
        // The tables are not those of the store.
        "3F000" | "42P01" | "42703" | "42883" => {
            (Damaged, ": the schema is not migrated, or to another version")
        }
        class if class.starts_with("22") || class.starts_with("23") || class.starts_with("XX") => {
            (Damaged, "")
        }
        _ => (Unavailable, ""),
    }
}

/// Describes an error that did not come from the server. The texts of causes name hosts and no values.
fn connection_text(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}
