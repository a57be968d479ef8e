//! The Model Context Protocol (MCP): the tools of a runtime for its clients, and the tools of its
//! servers for a runtime.

#[cfg(feature = "mcp-client")]
mod remote;
#[cfg(feature = "mcp")]
mod server;

#[cfg(feature = "mcp-client")]
pub use self::remote::{
    NewTools, PinDifference, Remote, RemoteBuilder, RemoteConnection, RemoteError, RemoteErrorKind,
    RemoteEvent, RemoteFinding, RemoteFindingKind, RemoteLimits, RemoteProtocol, RemoteServer,
    RemoteStatus, RemoteTool, RemoteToolState,
};
