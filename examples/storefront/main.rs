//! A shop assistant's tools over real prices, taxes and places, and one that writes.
//!
//! `cargo run --bin storefront` plays a conversation of calls as a model sends them, and prints what
//! each gets. The draft order asks first, runs once, and waits behind a ticket where nobody is there
//! to answer; the folder's README says how to see each.

mod approval;
mod checkout;
mod compliance;
mod data;
mod files;
mod host;
mod knowledge;
mod money;
mod options;
mod orders;
mod outline;
mod pricing;
mod script;
mod shipping;
mod shop;
mod tax;
#[cfg(test)]
mod tests;
mod transcript;

use std::error::Error;
use std::fs;
use std::io::{BufReader, IsTerminal as _, stdin};
use std::process::ExitCode;

use tool_runtime::policy::Policy;

use crate::approval::{Demo, Prompt};
use crate::files::Files;
use crate::host::Host;
use crate::options::{Options, USAGE};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Some(options) = Options::from_env() else {
        eprintln!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    let files =
        options.db.as_ref().map_or_else(Files::temporary, |file| Ok(Files::beside(file)))?;
    let mut host = Host::start(files, asking(&options), options.dry_run).await?;
    if let Some(ticket) = &options.resume {
        let ticket = fs::read_to_string(ticket)?;
        host.resume(ticket.trim(), options.approve.as_deref()).await?;
    } else if options.defer {
        defer(&mut host).await?;
    } else {
        transcript::tools(host.runtime());
        host.play(script::CONVERSATION).await?;
    }
    transcript::orders(&host.orders().orders());
    Ok(ExitCode::SUCCESS)
}

/// Says who is asked; where the policy names nobody, a call that asks is answered with a ticket.
fn asking(options: &Options) -> Policy {
    let policy = Policy::new();
    if options.defer || options.resume.is_some() {
        policy
    } else if options.yes || !stdin().is_terminal() {
        policy.approver(Demo)
    } else {
        policy.approver(Prompt::new(BufReader::new(stdin())))
    }
}

/// Plays until somebody has to be asked, and leaves the ticket for another process.
async fn defer(host: &mut Host) -> Result<(), Box<dyn Error>> {
    let ticket = host.play(script::AFTER_HOURS).await?.ok_or("no call waits for anybody")?;
    fs::write(host.files().ticket(), ticket)?;
    transcript::waits(host.files());
    Ok(())
}
