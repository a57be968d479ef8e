//! The program; its code is in the library.

use std::process::ExitCode;

use clap::Parser as _;
use proxy_agent::Options;

#[tokio::main]
async fn main() -> ExitCode {
    tool_runtime::quiet_tool_panics();
    match proxy_agent::run(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("proxy-agent: {error}");
            ExitCode::FAILURE
        }
    }
}
