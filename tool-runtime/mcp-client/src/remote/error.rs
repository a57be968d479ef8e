//! The errors of a connection to a server, of its lock, and of its settings.

use std::fmt;

/// An error of a [`Remote`](super::Remote).
///
/// Its text is for people and logs. It names the server by the prefix of its tools, and contains no
/// credentials, and no text of the server but for its bounded error messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteError {
    kind: RemoteErrorKind,
    message: String,
    /// The prefix of the server's tools.
    server: Option<String>,
}

/// The kind of a [`RemoteError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteErrorKind {
    /// A setting is missing or has an invalid value.
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
        Self { kind, message: message.into(), server: None }
    }

    /// Names the server whose tools have this prefix.
    pub(super) fn with_server(self, prefix: &str) -> Self {
        Self { server: Some(prefix.to_owned()), ..self }
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

    /// Returns the prefix of the server's tools, if it is set.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }
}

impl std::error::Error for RemoteError {}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(server) => write!(f, "`{server}`: {}", self.message),
            None => f.write_str(&self.message),
        }
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
