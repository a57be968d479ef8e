//! Inspects the storefront's records: prints its traces, verifies its ledger, replays its reads.
//!
//! `cargo run --bin trace -- --help` lists the options. It exits with 0 if everything is right,
//! with 1 if an answer has drifted or the ledger was changed, and with 2 if it cannot decide.

mod calls;
mod options;
mod replay;
mod table;
mod timeline;
mod verify;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use storefront::Files;

use crate::options::{HELP, Options, Wanted};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = match Options::read(env::args().skip(1)) {
        Ok(Wanted::Help) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Ok(Wanted::Look(options)) => options,
        Err(error) => return refused(&error),
    };
    match look(&options).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => refused(&*error),
    }
}

/// Runs the command; returns whether everything is right.
async fn look(options: &Options) -> Result<bool, Box<dyn Error>> {
    let files = Files::recorded(&options.ledger, options.db.as_deref())?;
    // Verified first, since the rest writes to the ledger or relies on it.
    let is_whole = !options.verify || verify::verify(&files, &options.checkpoints)?;
    if let Some(file) = &options.export {
        verify::export(&files, file).await?;
    }
    if !options.shows_traces() {
        return Ok(is_whole);
    }
    let traces = calls::traces(&mut *files.ledger_to_read()?, options.trace.as_deref())?;
    traces.iter().for_each(timeline::print);
    let holds = !options.replay || replay::replay(files, &traces, options).await?;
    Ok(is_whole && holds)
}

fn refused(error: &(impl Error + ?Sized)) -> ExitCode {
    eprintln!("trace: {error}");
    ExitCode::from(2)
}
