//! Tools of a mail room, which other crates link or only ask for their contracts.

#![allow(clippy::must_use_candidate, reason = "a runtime calls them")]
#![allow(
    clippy::missing_errors_doc,
    reason = "models read these docs; failures explain themselves"
)]

use tool_runtime::prelude::*;

/// Where a parcel goes.
#[ai_type]
#[derive(Debug, Clone)]
pub struct Address {
    /// Street and number.
    pub street: String,
    /// The town.
    pub town: String,
    /// The country: two letters, as in ISO 3166.
    pub country: String,
}

/// How fast a parcel travels.
#[ai_type]
#[derive(Debug, Clone, Copy)]
pub enum Service {
    /// Within the week.
    Standard,
    /// By tomorrow.
    Express,
}

/// A parcel on its way.
#[ai_type]
#[derive(Debug)]
pub struct Parcel {
    /// The number to track it by.
    pub number: String,
    /// What it costs, in cents.
    pub cents: u64,
}

/// Why a parcel could not be sent.
#[derive(Debug, ToolFailure)]
pub enum ShippingError {
    /// The carrier does not deliver there.
    #[failure(ADDRESS_INVALID, message = "the carrier does not deliver to this address")]
    Unreachable,
    /// The carrier is closed.
    #[failure(UNAVAILABLE, message = "the carrier is closed", retry_after = "10m")]
    Closed,
    /// The parcel is too heavy for the service.
    #[failure(code = "TOO_HEAVY", class = VALIDATION, message = "express takes up to 20 kg: send it as standard")]
    TooHeavy,
}

/// The account with the carrier.
#[derive(Debug)]
pub struct Carrier {
    /// Whether it takes parcels now.
    pub open: bool,
}

/// Quotes what a parcel would cost, in cents.
#[ai_tool(effect = "read", version = "1.0.0", category = "mail", ttl = "5m", timeout = "3s")]
pub fn quote_parcel(
    /// Its weight in grams.
    #[arg(range(1..=30_000))]
    grams: u32,
    /// How fast it travels.
    service: Service,
) -> u64 {
    let factor = match service {
        Service::Standard => 1,
        Service::Express => 3,
    };
    factor * (300 + u64::from(grams) / 10)
}

/// Sends a parcel.
#[ai_tool(effect = "write", version = "2.1.0", category = "mail", timeout = "20s", open_world)]
pub fn send_parcel(
    carrier: &Carrier,
    dry_run: &DryRun,
    /// Where it goes.
    to: Address,
    /// Its weight in grams.
    #[arg(range(1..=30_000))]
    grams: u32,
    /// How fast it travels.
    service: Service,
    /// The sender's password with the carrier.
    #[arg(secret, length(8..=64))]
    password: String,
    /// Whom to tell when it arrives.
    #[arg(pii)]
    email: Option<String>,
) -> Result<Parcel, ShippingError> {
    let _ = (password, email);
    if to.country.len() != 2 {
        return Err(ShippingError::Unreachable);
    }
    if !carrier.open {
        return Err(ShippingError::Closed);
    }
    if matches!(service, Service::Express) && grams > 20_000 {
        return Err(ShippingError::TooHeavy);
    }
    let number = if dry_run.is_active() { "none yet" } else { "P-1" };
    Ok(Parcel { number: number.to_owned(), cents: quote_parcel(grams, service) })
}
