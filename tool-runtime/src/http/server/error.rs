//! Why a server cannot start, or did not end well.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

use crate::store::StoreError;

/// Why a server cannot start, or did not end well.
///
/// Its text names the place, what was expected and the cure; it is for whoever runs the server.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ServeError {
    kind: ServeErrorKind,
    message: Box<str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What kind of trouble a [`ServeError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeErrorKind {
    /// The address cannot be listened on.
    Listen,
    /// A certificate or a key cannot be used.
    Tls,
    /// The server has ended, and its ledger could not be written to the end.
    Ledger,
}

impl ServeError {
    /// Tells what kind of trouble it is.
    #[must_use]
    pub fn kind(&self) -> ServeErrorKind {
        self.kind
    }

    pub(super) fn listen(address: &str, error: io::Error) -> Self {
        let cure = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another process listens there; end it, or take another port"
            }
            io::ErrorKind::PermissionDenied => "take a port above 1023, or allow the lower ones",
            io::ErrorKind::AddrNotAvailable => "expected an address of this machine, or 0.0.0.0",
            _ => "expected `host:port`, such as `127.0.0.1:8000`",
        };
        let message = format!("cannot listen on `{address}`: {cure} ({error})");
        Self::new(ServeErrorKind::Listen, message, Some(error.into()))
    }

    pub(super) fn ledger(error: StoreError) -> Self {
        let message = format!("the server has ended, and its ledger is not whole: {error}");
        Self::new(ServeErrorKind::Ledger, message, Some(error.into()))
    }

    pub(super) fn late_ledger() -> Self {
        let message = "the server has ended, and its ledger was not written in time: calls may be \
                       missing in it";
        Self::new(ServeErrorKind::Ledger, message.to_owned(), None)
    }

    #[cfg(feature = "tls")]
    pub(super) fn tls(message: String, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ServeErrorKind::Tls, message, Some(source.into()))
    }

    fn new(
        kind: ServeErrorKind,
        message: String,
        source: Option<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { kind, message: message.into(), source }
    }
}
