//! The errors of a tool's statements.

use std::error::Error;
use std::fmt;

use tokio_postgres::error::SqlState;
use tool_contracts::ErrorCode;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_core::{Failure, FailureCode, ToolFailure};

use crate::error::{is_conflict, store_error};

/// The delay after which a call that met another transaction may be repeated.
const CONFLICT_RETRY_AFTER_MS: u64 = 100;

/// The delay after which a call that found no connection may be repeated.
const CONNECTION_RETRY_AFTER_MS: u64 = 1_000;

const CODES: &[FailureCode] =
    &[FailureCode::standard(ErrorCode::Unavailable), FailureCode::standard(ErrorCode::Internal)];

/// The failure of a statement in a [`PostgresTransaction`](crate::PostgresTransaction), or of its beginning.
///
/// As a tool's error it is `UNAVAILABLE` with `retry_after_ms` where a repeat may succeed: no connection, a deadlock, a
/// lock that was not free in time; else `INTERNAL`. A tool maps what it expects, such as a unique key that exists,
/// to an error of its own: [`code`](Self::code).
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresTransactionError {
    /// No transaction could begin, since the server did not give a connection.
    Connection(StoreError),
    /// The server refused a statement, or the connection broke. After it, the transaction runs no further ones.
    Statement(tokio_postgres::Error),
    /// The call has ended: its transaction was committed or rolled back.
    Ended,
}

impl PostgresTransactionError {
    /// Returns the SQLSTATE of a statement that the server refused.
    #[must_use]
    pub fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Statement(error) => error.code(),
            Self::Connection(_) | Self::Ended => None,
        }
    }

    /// Returns the delay after which a repeat may succeed.
    fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Statement(error) if is_conflict(error) => Some(CONFLICT_RETRY_AFTER_MS),
            Self::Statement(error) if error.code().is_none_or(ends_connection) => {
                Some(CONNECTION_RETRY_AFTER_MS)
            }
            Self::Connection(error) if error.kind() == StoreErrorKind::Unavailable => {
                Some(CONNECTION_RETRY_AFTER_MS)
            }
            Self::Connection(_) | Self::Statement(_) | Self::Ended => None,
        }
    }
}

/// Returns whether the server ends the connection after an error of this class: a shutdown, a lack of resources, a
/// time limit of the session.
fn ends_connection(code: &SqlState) -> bool {
    ["08", "25P03", "53", "57P"].iter().any(|class| code.code().starts_with(class))
}

impl fmt::Display for PostgresTransactionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(error) => write!(f, "the transaction did not begin: {error}"),
            Self::Statement(error) => write!(f, "a statement failed: {}", store_error(error)),
            Self::Ended => f.write_str("the transaction has ended with its call"),
        }
    }
}

impl Error for PostgresTransactionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Connection(error) => Some(error),
            Self::Statement(error) => Some(error),
            Self::Ended => None,
        }
    }
}

impl From<tokio_postgres::Error> for PostgresTransactionError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Statement(error)
    }
}

impl ToolFailure for PostgresTransactionError {
    fn failure(&self) -> Failure {
        match self.retry_after_ms() {
            Some(delay) => Failure::from_code(ErrorCode::Unavailable)
                .with_retry_after_ms(delay)
                .with_effect_none(),
            None => Failure::from_code(ErrorCode::Internal),
        }
    }

    fn codes() -> &'static [FailureCode] {
        CODES
    }
}
