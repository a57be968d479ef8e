//! A shop assistant's tools over real prices, taxes and places, and one that writes.
//!
//! Run it with `cargo run --bin storefront`. It plays a conversation of calls as a model sends them
//! and prints what each gets. The draft order asks first: in the terminal, or, where there is none
//! or with `--yes`, an approver named demo. `--dry-run` orders nothing.

mod approval;
mod checkout;
mod compliance;
mod data;
mod host;
mod knowledge;
mod money;
mod orders;
mod pricing;
mod script;
mod shipping;
mod shop;
mod tax;
#[cfg(test)]
mod tests;
mod transcript;

use std::env;
use std::error::Error;

use crate::approval::Approver;
use crate::host::Host;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut yes, mut dry_run) = (false, false);
    for option in env::args().skip(1) {
        match option.as_str() {
            "--yes" => yes = true,
            "--dry-run" => dry_run = true,
            _ => return Err("expected --yes or --dry-run".into()),
        }
    }
    Host::start(Approver::new(yes), dry_run).await?.play(script::CONVERSATION).await
}
