//! Errors of exporting and checking contracts.

use std::fmt;
use std::path::Path;
use std::{error, io};

use tool_runtime_core::tool::BuildError;

/// Describes why contracts could not be exported, or why a change was rejected.
///
/// `Debug` prints the text of `Display`, because that is what a build script prints if `main`
/// returns this error.
#[derive(Clone)]
pub struct ExportError {
    kind: ExportErrorKind,
    message: String,
}

/// Classifies an [`ExportError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportErrorKind {
    /// The registrations are invalid.
    Registry,
    /// A file could not be read or written.
    Io,
    /// `TOOLS_LOCK` has an unknown value.
    Setting,
    /// The lock that `TOOLS_LOCK_BASE` names does not exist or cannot be read.
    Base,
    /// The lock does not exist.
    NoLock,
    /// The lock is damaged, or was written by a newer version of this crate.
    UnreadableLock,
    /// The lock has the conflict markers of a merge, or a tool twice.
    Conflict,
    /// A version is not `major.minor.patch`, or is older than the one in the lock.
    Version,
    /// A change breaks callers without a new major version.
    Breaking,
    /// Files are not up to date, and the export is frozen.
    Stale,
}

impl ExportError {
    pub(super) fn new(kind: ExportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(ExportErrorKind::Io, format!("cannot {doing} {}: {error}", path.display()))
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> ExportErrorKind {
        self.kind
    }
}

impl From<BuildError> for ExportError {
    fn from(error: BuildError) -> Self {
        Self::new(ExportErrorKind::Registry, error.to_string())
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for ExportError {}
