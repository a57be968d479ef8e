//! The Model Context Protocol (MCP): the tools of a runtime for its clients, and the tools of its
//! servers for a runtime.

#[cfg(feature = "mcp-client")]
mod remote;
#[cfg(feature = "mcp")]
mod server;
