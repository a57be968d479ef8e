//! The servers of the figure.

use std::path::Path;
use std::process::Command;

use tool_runtime::http::{HttpConfig, RateLimits};
use tool_runtime::ledger::{JsonLinesLedger, Ledger};
use tool_runtime::mcp::{self, McpConfig};
use tool_runtime::policy::KeyRing;

use super::rmcp_server;
use crate::http::contestant::{on_axum_serve, runtime, serving, trusting};
use crate::rates::text;

/// A server of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contestant {
    /// rmcp's own server.
    Rmcp,
    /// This project, without a ledger.
    Ours,
    /// This project, with a ledger in lines of JSON.
    Audited,
}

impl Contestant {
    pub(super) const ALL: [Self; 3] = [Self::Rmcp, Self::Ours, Self::Audited];

    /// Returns the name in the table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Rmcp => "(a) rmcp, its macros",
            Self::Ours => "(b) tool-runtime",
            Self::Audited => "(c) with the ledger, JSON Lines",
        }
    }

    /// Returns the command that serves it in its own process.
    pub(super) fn command(self, folder: &Path) -> Result<Command, String> {
        serving("mcp-serve", self, folder)
    }
}

/// Serves as requested by the parent process, until standard input is closed.
///
/// # Errors
/// The server is unknown, or cannot be started.
pub fn serve(name: &str, folder: &str) -> Result<(), String> {
    let named = |it: &Contestant| format!("{it:?}") == name;
    let contestant = Contestant::ALL.into_iter().find(named);
    let contestant = contestant.ok_or("only `figures mcp` starts this")?;
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    executor.block_on(play(contestant, Path::new(folder)))
}

async fn play(contestant: Contestant, folder: &Path) -> Result<(), String> {
    match contestant {
        Contestant::Rmcp => on_axum_serve(rmcp_server::router()).await,
        Contestant::Ours => on_axum_serve(mcp::router(runtime(None)?, config())).await,
        Contestant::Audited => {
            let keys = KeyRing::new("figures", &[7; 32]).map_err(text)?;
            let store = JsonLinesLedger::open(folder.join("ledger.jsonl")).map_err(text)?;
            let ledger = Ledger::builder(keys).open(store).map_err(text)?;
            let config = config().ledger(&ledger);
            on_axum_serve(mcp::router(runtime(Some(&ledger))?, config)).await?;
            ledger.close().await.map_err(text)?;
            let status = ledger.status();
            let (written, shed, lost) = (status.written, status.shed, status.lost);
            println!("ledger written={written} shed={shed} lost={lost}");
            Ok(())
        }
    }
}

fn config() -> HttpConfig {
    // One principal makes all requests, as fast as it can.
    HttpConfig::new(trusting())
        .without_tenants()
        .rates(RateLimits::none())
        .mcp(McpConfig::new("figures", "1.0.0"))
}
