//! An MCP server over standard input and output: `rmcp` with a handler of its own over the runtime.

use rmcp::ServiceExt as _;
use rmcp::transport::stdio;
use rmcp_client::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The input and the output carry the protocol, so no person can be asked here.
    let runtime = shop::runtime_without_approver()?;
    Server::new(runtime).serve(stdio()).await?.waiting().await?;
    Ok(())
}
