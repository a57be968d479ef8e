//! What keeps contracts from being exported or checked.

use std::fmt;
use std::path::Path;
use std::{error, io};

use crate::dispatch::BuildError;

/// Says why contracts could not be exported, or may not change as they did.
///
/// `Debug` is the text of `Display`, so that a build script whose `main` returns this error shows
/// a person what to do.
#[derive(Clone)]
pub struct ExportError {
    kind: ExportErrorKind,
    message: String,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportErrorKind {
    /// The registrations themselves are wrong.
    Registry,
    /// A file could not be read or written.
    Io,
    /// `TOOLS_LOCK` has a value without a meaning.
    Setting,
    /// There is no lock yet.
    NoLock,
    /// The lock is damaged, or was written by a newer version of this crate.
    UnreadableLock,
    /// A version is not `major.minor.patch`, or is older than the one in the lock.
    Version,
    /// A change breaks who relies on the contract, and no new major version says so.
    Breaking,
    /// Files are not what the tools say, and nothing may be written.
    Stale,
}

impl ExportError {
    pub(super) fn new(kind: ExportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(ExportErrorKind::Io, format!("cannot {doing} {}: {error}", path.display()))
    }

    /// Returns what kind of thing went wrong.
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
