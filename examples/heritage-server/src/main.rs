//! The program; the library has all of it.

use std::error::Error;

use clap::Parser as _;
use heritage_server::Options;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    heritage_server::run(Options::parse()).await
}
