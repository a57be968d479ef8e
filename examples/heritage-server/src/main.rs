//! The program; its code is in the library.

use std::process::ExitCode;

use clap::Parser as _;
use heritage_server::Options;

#[tokio::main]
async fn main() -> ExitCode {
    tool_runtime::quiet_tool_panics();
    match heritage_server::run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heritage-server: {error}");
            ExitCode::FAILURE
        }
    }
}
