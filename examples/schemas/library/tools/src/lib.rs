//! Tools of a mail room, which other crates link, or use for their contracts only.

#![allow(clippy::must_use_candidate, reason = "a runtime calls them")]
#![allow(
    clippy::missing_errors_doc,
    reason = "models read these docs; failures explain themselves"
)]

use tool_runtime::prelude::*;

/// The address of a parcel.
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

/// The speed of a delivery.
#[ai_type]
#[derive(Debug, Clone, Copy)]
pub enum Service {
    /// Within the week.
    Standard,
    /// By tomorrow.
    Express,
}

/// A parcel in transit.
#[ai_type]
#[derive(Debug)]
pub struct Parcel {
    /// The tracking number.
    pub number: String,
    /// The price, in cents.
    pub cents: u64,
}

/// The error of sending a parcel.
#[derive(Debug, ToolFailure)]
pub enum ShippingError {
    /// The carrier does not deliver there.
    #[failure(ADDRESS_INVALID, message = "the carrier does not deliver to this address")]
    Unreachable,
    /// The carrier is closed.
    #[failure(UNAVAILABLE, message = "the carrier is closed", retry_after = "10m")]
    Closed,
    /// The parcel is too heavy for the service.
    #[failure(code = "TOO_HEAVY", type = VALIDATION, message = "express takes up to 20 kg: send it as standard")]
    TooHeavy,
}

/// The account with the carrier.
#[derive(Debug)]
pub struct Carrier {
    /// True if the carrier accepts parcels now.
    pub open: bool,
}

/// Quotes the price of a parcel, in cents.
#[ai_tool(effect = "read", version = "1.0.0", category = "mail", ttl = "5m", timeout = "3s")]
pub fn quote_parcel(
    /// The parcel's weight, in grams.
    #[arg(range(1..=30_000))]
    grams: u32,
    /// The speed of the delivery.
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
    /// The parcel's address.
    to: Address,
    /// The parcel's weight, in grams.
    #[arg(range(1..=30_000))]
    grams: u32,
    /// The speed of the delivery.
    service: Service,
    /// The sender's password with the carrier.
    #[arg(secret, length(8..=64))]
    password: String,
    /// The contact to notify on arrival.
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
