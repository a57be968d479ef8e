//! Why a store could not do what it was asked.

use std::fmt;
use std::io::{self, ErrorKind};

use thiserror::Error;

/// Says why a store failed: a kind for machines, a text for the log.
///
/// An operation that fails has changed nothing, unless its documentation says otherwise. Where the
/// kind is [`Unavailable`](StoreErrorKind::Unavailable), whether it took effect may be unknown:
/// every operation may be repeated.
#[derive(Debug, Clone, Error)]
#[error("{kind}: {log}")]
pub struct StoreError {
    kind: StoreErrorKind,
    log: String,
}

/// What is wrong with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// It does not answer now: locked, closed, not reachable.
    Unavailable,
    /// It has no room: a full disk, or a bound that is reached. Sweeping may make some.
    Full,
    /// It may be read only.
    ReadOnly,
    /// What it holds cannot be read: damaged, or of a version that is not known.
    Damaged,
}

impl StoreError {
    /// Makes an error; the text is for the log and holds no arguments and no answers.
    pub fn new(kind: StoreErrorKind, log: impl Into<String>) -> Self {
        Self { kind, log: log.into() }
    }

    /// Says what the operating system refused.
    pub(crate) fn of_system(error: &io::Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreErrorKind::Full,
            _ => StoreErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }

    /// Says what it happened at.
    pub(crate) fn at(self, place: impl fmt::Display) -> Self {
        Self::new(self.kind, format!("{place}: {}", self.log))
    }

    /// Returns what is wrong.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns the text for the log.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }
}

impl fmt::Display for StoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "the store is not available",
            Self::Full => "the store is full",
            Self::ReadOnly => "the store may only be read",
            Self::Damaged => "the store holds what cannot be read",
        })
    }
}
