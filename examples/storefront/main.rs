//! Runs the storefront's conversation; `lib.rs` describes it.

use std::error::Error;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    storefront::run().await
}
