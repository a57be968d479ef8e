//! A shop assistant's tools over real prices, taxes and places, and one that writes.
//!
//! `cargo run --bin storefront` runs a conversation of calls as a model sends them, and prints the
//! answers. The draft order needs approval, runs once, and waits behind a ticket if there is no
//! approver; the folder's README describes each case. `cargo run --bin trace` opens the same shop
//! to inspect its records.

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
