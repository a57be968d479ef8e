//! The error of a server that cannot start or did not shut down cleanly.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;
use tool_runtime_core::store::StoreError;

/// The error of a server that cannot start or did not shut down cleanly.
///
/// Its text names the address or file, what was expected and the fix. It is for operators.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ServeError {
    kind: ServeErrorKind,
    message: Box<str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of a [`ServeError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeErrorKind {
    /// The server cannot listen on the address.
    Listen,
    /// A certificate or a key cannot be used.
    Tls,
    /// The server has shut down, but its ledger could not be flushed.
    Ledger,
}

impl ServeError {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ServeErrorKind {
        self.kind
    }

    pub(super) fn listen(address: &str, error: io::Error) -> Self {
        let cure = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "the address is in use by another process; stop it, or choose another port"
            }
            io::ErrorKind::PermissionDenied => {
                "choose a port above 1023, or permit the process to bind lower ones"
            }
            io::ErrorKind::AddrNotAvailable => "expected an address of this machine, or 0.0.0.0",
            _ => "expected `host:port`, such as `127.0.0.1:8000`",
        };
        let message = format!("cannot listen on `{address}`: {cure} ({error})");
        Self::new(ServeErrorKind::Listen, message, Some(error.into()))
    }

    pub(super) fn ledger(error: StoreError) -> Self {
        let message =
            format!("the server has shut down, but its ledger could not be flushed: {error}");
        Self::new(ServeErrorKind::Ledger, message, Some(error.into()))
    }

    pub(super) fn late_ledger() -> Self {
        let message = "the server has shut down, but its ledger was not flushed in time: it may lack \
                       calls";
        Self::new(ServeErrorKind::Ledger, message.to_owned(), None)
    }

    pub(super) fn new(
        kind: ServeErrorKind,
        message: String,
        source: Option<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { kind, message: message.into(), source }
    }
}
