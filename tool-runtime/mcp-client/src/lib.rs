//! The tools of servers of the Model Context Protocol (MCP) as tools of a runtime: [`Remote`].
//!
//! Depend on `tool-runtime` with the feature `mcp-client`, which re-exports what is public here.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod remote;

pub use self::remote::{
    AmountArgument, NewTools, PinDifference, Remote, RemoteBuilder, RemoteConnection, RemoteError,
    RemoteErrorKind, RemoteEvent, RemoteFinding, RemoteFindingKind, RemoteLimits, RemoteProtocol,
    RemoteServer, RemoteStatus, RemoteTool, RemoteToolState,
};
