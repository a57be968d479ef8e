//! The guide's tools by the Model Context Protocol, over HTTP and on standard streams.

use std::error::Error;
use std::io;

use tool_runtime::contracts::ContractError;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::mcp::{self, McpConfig};

use crate::Options;
use crate::host::Host;

/// The village of callers that name none.
const VILLAGE: &str = "yantian";

/// Returns the configuration of the protocol.
///
/// # Errors
/// The names of the village are not valid.
pub(crate) fn config() -> Result<McpConfig, ContractError> {
    McpConfig::new("heritage", env!("CARGO_PKG_VERSION"))
        .title("The guide of 严田古村")
        .instructions("Search the texts before answering a question about the village.")
        .sessions(true)
        .default_tenant(Tenant::parse(VILLAGE)?)
        .default_site("yantian-main")
}

/// Serves the tools on the program's standard streams, until the client closes them.
///
/// A line of JSON a call goes to standard error, since standard output is the protocol's.
///
/// # Errors
/// The data folder, the database or a standard stream cannot be used.
pub(crate) async fn serve_streams(options: &Options) -> Result<(), Box<dyn Error>> {
    let host = Host::open(options, io::stderr()).await?;
    let server = mcp::stdio(host.runtime.clone()).config(config()?).tenant(Tenant::parse(VILLAGE)?);
    server.ledger(&host.ledger).serve().await?;
    host.close().await
}
