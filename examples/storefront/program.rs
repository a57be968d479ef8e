//! The program's actions for each set of options.

use std::error::Error;
use std::fs;
use std::io::{BufReader, IsTerminal as _, stdin};
use std::process::ExitCode;

use tool_runtime::policy::Policy;

use crate::approval::{Demo, Prompt};
use crate::files::Files;
use crate::host::Host;
use crate::options::{Options, USAGE};
use crate::{script, transcript};

/// Runs the storefront by its command line.
///
/// # Errors
/// The shop cannot be opened, or its files cannot be read or written.
pub async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let Some(options) = Options::from_env() else {
        eprintln!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    let files = Files::new(options.db.as_deref(), options.ledger.as_deref())?;
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
    transcript::orders(&host.orders().orders(), &host.orders().traces());
    host.close().await?;
    transcript::recorded(host.files());
    Ok(ExitCode::SUCCESS)
}

/// Returns the policy with its approver; without one, a call that needs approval gets a ticket.
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

/// Runs until a call needs approval, and leaves the ticket for another process.
async fn defer(host: &mut Host) -> Result<(), Box<dyn Error>> {
    let ticket = host.play(script::AFTER_HOURS).await?.ok_or("no call waits for an approval")?;
    fs::write(host.files().ticket(), ticket)?;
    transcript::waits(host.files());
    Ok(())
}
