//! The state of a remote server for its host: the connection, the tools, and events.

use std::fmt;
use std::time::Duration;

use rmcp::model::ServerPeerInfo;
use tool_runtime_schema::canonical::Digest;

use super::connect::server_text;
use super::findings::RemoteFinding;
use super::lock::PinDifference;

/// The state of a [`Remote`](super::Remote) at one moment.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RemoteStatus {
    /// The state of the connection.
    pub connection: RemoteConnection,
    /// The server, since the first connection.
    pub server: Option<RemoteServer>,
    /// Every tool of the server, by the server's names: those that are not available too.
    pub tools: Vec<RemoteTool>,
    /// The suspicious texts in the definitions that the server lists.
    pub findings: Vec<RemoteFinding>,
}

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RemoteConnection {
    /// The first connection is being made.
    #[default]
    Connecting,
    /// There is a connection.
    Connected,
    /// The connection was lost, and the next one is being made.
    Reconnecting,
    /// The server could not be reached as often as the host allowed. A
    /// [`refresh`](super::Remote::refresh) tries again.
    GivenUp,
    /// The connection was closed by the host.
    Closed,
}

/// The identity that a server claims, and the revision of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteServer {
    name: String,
    version: String,
    protocol: String,
    announces_changes: bool,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteTool {
    /// The server's name of the tool.
    pub name: String,
    /// The tool's name in the runtime, if it has one.
    pub registered_as: Option<String>,
    /// The state of the tool.
    pub state: RemoteToolState,
    /// The reason for which it cannot be called, for people.
    pub reason: Option<String>,
    /// The hash of the definition that the server lists now.
    pub digest: Option<Digest>,
    /// The differences between the accepted definition and the one that the server lists now.
    pub differences: Vec<PinDifference>,
}

/// The state of a remote tool: it can be called, or why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteToolState {
    /// It can be called.
    Available,
    /// The server has changed its definition since it was accepted.
    Changed,
    /// Its definition was not accepted yet.
    New,
    /// The server does not list it any more.
    Vanished,
    /// It cannot be used: its schema cannot be checked, its name collides, or a limit is exceeded.
    Refused,
}

/// An event of a remote server, for the host's log and its operators.
///
/// `Display` writes a line for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RemoteEvent {
    /// A connection was made, and the tools were compared with the lock.
    Connected(RemoteServer),
    /// The connection was lost, or could not be made.
    Disconnected {
        /// The reason.
        reason: String,
        /// The time until the next attempt; none if there is none.
        retry_after: Option<Duration>,
    },
    /// A tool can be called, for the first time or again.
    Available {
        /// The server's name of the tool.
        tool: String,
    },
    /// A tool cannot be called, or not any more.
    Disabled {
        /// The tool, with its state, the reason and the differences.
        tool: RemoteTool,
    },
    /// The definition of a tool has a suspicious text.
    Finding(RemoteFinding),
    /// The list of tools, or the lock, could not be read or written.
    Failed {
        /// The reason.
        reason: String,
    },
    /// The connection was closed by the host.
    Closed,
}

impl RemoteServer {
    pub(super) fn from_info(info: Option<&ServerPeerInfo>) -> Self {
        let Some(info) = info else { return Self::default() };
        let claimed = info.server_info.as_ref();
        let tools = info.capabilities.tools.as_ref();
        Self {
            name: claimed.map(|server| server_text(&server.name)).unwrap_or_default(),
            version: claimed.map(|server| server_text(&server.version)).unwrap_or_default(),
            protocol: info.protocol_version.as_str().to_owned(),
            announces_changes: tools.and_then(|tools| tools.list_changed).unwrap_or_default(),
        }
    }

    /// Returns the name that the server claims; empty if it claims none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version that the server claims.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the revision of the protocol, such as `2026-07-28`.
    #[must_use]
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Returns whether the server says that it announces changes of its tools.
    #[must_use]
    pub fn announces_changes(&self) -> bool {
        self.announces_changes
    }

    /// Returns whether changes are announced to subscriptions only.
    pub(super) fn has_subscriptions(&self) -> bool {
        // Revisions are dates.
        self.protocol.as_str() >= "2026-07-28"
    }
}

impl RemoteStatus {
    /// Finds a tool by the server's name of it.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&RemoteTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl fmt::Display for RemoteServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{} {}` ({})", self.name, self.version, self.protocol)
    }
}

impl fmt::Display for RemoteTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name.escape_debug())?;
        if let Some(reason) = &self.reason {
            write!(f, ": {reason}")?;
        }
        self.differences.iter().try_for_each(|difference| write!(f, "\n{difference}"))
    }
}

impl fmt::Display for RemoteEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected(server) => write!(f, "connected with {server}"),
            Self::Disconnected { reason, retry_after: Some(delay) } => {
                write!(f, "disconnected: {reason}; the next attempt is in {delay:.1?}")
            }
            Self::Disconnected { reason, retry_after: None } => write!(f, "disconnected: {reason}"),
            Self::Available { tool } => write!(f, "`{}` is available", tool.escape_debug()),
            Self::Disabled { tool } => write!(f, "disabled {tool}"),
            Self::Finding(finding) => write!(f, "found in {finding}"),
            Self::Failed { reason } => f.write_str(reason),
            Self::Closed => f.write_str("closed"),
        }
    }
}
