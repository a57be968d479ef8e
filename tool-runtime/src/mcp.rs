//! The Model Context Protocol (MCP): the tools of a runtime for any MCP client, and the tools of MCP
//! servers for a runtime.
//!
//! | direction | feature | entry |
//! | --- | --- | --- |
//! | a server over standard streams, for desktop programs and editors | `mcp` | `stdio` |
//! | a server over streamable HTTP, with the authentication, tenants and limits of `http` | `mcp` | `router` |
//! | the tools of another server as tools of this runtime | `mcp-client` | `Remote` |
//!
//! The server speaks revision 2026-07-28, which has no sessions, and 2025-11-25 and older on the same
//! endpoint. Calls go through the same pipeline as all others: validation, approval, limits, ledger.

#[cfg(feature = "mcp")]
#[doc(inline)]
pub use tool_runtime_http::mcp::{
    Icon, McpConfig, ProtectedResource, Stdio, StdioError, router, stdio,
};
#[cfg(feature = "mcp-client")]
#[doc(inline)]
pub use tool_runtime_mcp_client::{
    AmountArgument, NewTools, PinDifference, Remote, RemoteBuilder, RemoteConnection, RemoteError,
    RemoteErrorKind, RemoteEvent, RemoteFinding, RemoteFindingKind, RemoteLimits, RemoteProtocol,
    RemoteServer, RemoteStatus, RemoteTool, RemoteToolState,
};
