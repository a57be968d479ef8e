//! The errors of a connection to a server, of its lock, and of its settings.

use std::fmt;

/// An error of a [`Remote`](super::Remote).
///
/// Its text is for people and logs. It contains no credentials, and no text of the server but for
/// its bounded error messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteError {
    kind: RemoteErrorKind,
    message: String,
}

/// The kind of a [`RemoteError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteErrorKind {
    /// A setting is missing, or has no such value.
    Setting,
    /// The server cannot be started or reached, or the connection was lost.
    Connection,
    /// The server refuses the credentials, or wants some.
    Unauthorized,
    /// The server did not answer in time.
    Timeout,
    /// The server does not follow the protocol, or exceeds a limit.
    Protocol,
    /// The lock cannot be read or written.
    Lock,
    /// The server lists no such tool.
    UnknownTool,
    /// The tool has another definition than the one that was to be accepted, or cannot be used.
    Refused,
    /// The connection was closed by [`close`](super::Remote::close), or its runtime was dropped.
    Closed,
}

impl RemoteError {
    pub(super) fn new(kind: RemoteErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn setting(message: impl Into<String>) -> Self {
        Self::new(RemoteErrorKind::Setting, message)
    }

    pub(super) fn closed() -> Self {
        Self::new(RemoteErrorKind::Closed, "the connection to the server is closed")
    }

    /// Returns the kind, by which a program decides what to do.
    #[must_use]
    pub fn kind(&self) -> RemoteErrorKind {
        self.kind
    }
}

impl fmt::Display for RemoteErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Setting => "setting",
            Self::Connection => "connection",
            Self::Unauthorized => "unauthorized",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
            Self::Lock => "lock",
            Self::UnknownTool => "unknown tool",
            Self::Refused => "refused",
            Self::Closed => "closed",
        })
    }
}
