//! The errors of a tool's transaction.

use std::error::Error;
use std::fmt;

use tool_contracts::ErrorCode;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_core::{Failure, FailureCode, ToolFailure};

use crate::error::store_error;

/// The delay after which a call whose store did not answer may be repeated.
const RETRY_AFTER_MS: u64 = 1_000;

const CODES: &[FailureCode] =
    &[FailureCode::standard(ErrorCode::Unavailable), FailureCode::standard(ErrorCode::Internal)];

/// The failure of the statements in a [`SqliteTransaction`](crate::SqliteTransaction).
///
/// As a tool's error it is `UNAVAILABLE` with `retry_after_ms` where the store did not answer, else `INTERNAL`. A tool
/// maps what it expects, such as a constraint that is violated, to an error of its own.
#[derive(Debug)]
#[non_exhaustive]
pub enum SqliteTransactionError {
    /// A statement failed.
    Statement(rusqlite::Error),
    /// The store ran no statement: it is closed, its queue is full, or the file is locked.
    Store(StoreError),
    /// The call has ended: its transaction was committed or rolled back.
    Ended,
}

impl fmt::Display for SqliteTransactionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Statement(error) => write!(f, "a statement failed: {}", store_error(error)),
            Self::Store(error) => write!(f, "the statements did not run: {error}"),
            Self::Ended => f.write_str("the transaction has ended with its call"),
        }
    }
}

impl Error for SqliteTransactionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Statement(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::Ended => None,
        }
    }
}

impl ToolFailure for SqliteTransactionError {
    fn failure(&self) -> Failure {
        match self {
            Self::Store(error) if error.kind() == StoreErrorKind::Unavailable => {
                let failure = Failure::from_code(ErrorCode::Unavailable);
                failure.with_retry_after_ms(RETRY_AFTER_MS).with_effect_none()
            }
            Self::Store(_) | Self::Statement(_) | Self::Ended => {
                Failure::from_code(ErrorCode::Internal)
            }
        }
    }

    fn codes() -> &'static [FailureCode] {
        CODES
    }
}
