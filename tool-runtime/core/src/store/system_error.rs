//! Converts errors of the operating system.

use std::fmt;
use std::io::{self, ErrorKind};

use super::{StoreError, StoreErrorKind};

impl StoreError {
    /// Converts an error of the operating system.
    #[must_use]
    pub fn from_io_error(error: &io::Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreErrorKind::Full,
            _ => StoreErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }

    /// Adds the operation or file that failed to the text.
    #[must_use]
    pub fn at(self, context: impl fmt::Display) -> Self {
        Self::new(self.kind(), format!("{context}: {}", self.log()))
    }
}
