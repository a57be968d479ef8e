//! The error of a store's operation.

use std::fmt;

/// The error of a store's operation: a kind for programs, a text for the log.
///
/// A failed operation has changed nothing, unless its documentation says otherwise. If the kind is
/// [`Unavailable`](StoreErrorKind::Unavailable), the operation may have taken effect; every
/// operation may be repeated.
#[derive(Debug, Clone)]
pub struct StoreError {
    kind: StoreErrorKind,
    log: String,
    /// True if the text is shown without the kind, which would name a wrong cause.
    is_complete: bool,
}

/// The kind of a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store does not answer: it is locked, closed or not reachable.
    Unavailable,
    /// The store is full: the disk, or a limit. Sweeping may free space.
    Full,
    /// The store can only be read.
    ReadOnly,
    /// The stored data cannot be read: it is damaged, or of an unknown version.
    Damaged,
}

impl StoreError {
    /// Creates an error. The text is for the log, and contains no arguments and no answers.
    pub fn new(kind: StoreErrorKind, log: impl Into<String>) -> Self {
        Self { kind, log: log.into(), is_complete: false }
    }

    /// Creates an error whose text is shown without its kind: of data that is intact and cannot be
    /// read with these settings.
    pub fn for_settings(kind: StoreErrorKind, log: impl Into<String>) -> Self {
        Self { is_complete: true, ..Self::new(kind, log) }
    }

    /// Returns the kind.
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

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_complete {
            write!(f, "{}: ", self.kind)?;
        }
        f.write_str(&self.log)
    }
}

impl std::error::Error for StoreError {}

impl fmt::Display for StoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unavailable => "the store is not available",
            Self::Full => "the store is full",
            Self::ReadOnly => "the store is read-only",
            Self::Damaged => "the store is damaged",
        })
    }
}
