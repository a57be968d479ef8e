//! A shop assistant's tools over real prices, taxes and places, and one that writes.
//!
//! `cargo run --bin storefront` plays a conversation of calls as a model sends them, and prints what
//! each gets. The draft order asks first, runs once, and waits behind a ticket where nobody is there
//! to answer; the folder's README says how to see each. `cargo run --bin trace` opens the same shop
//! to look back at what it did.

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
mod program;
mod records;
mod script;
mod secret;
mod shipping;
mod shop;
mod sources;
mod tax;
#[cfg(test)]
mod tests;
mod transcript;

pub use self::files::Files;
pub use self::host::Host;
pub use self::program::run;
