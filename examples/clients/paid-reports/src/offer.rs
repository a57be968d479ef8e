//! The messages of x402, version 2: an offer, a payment and a receipt, each as Base64 in a header.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tool_runtime::budgets::Decimal;

/// The version of the protocol.
const VERSION: u32 = 2;

/// The digits after the point of the token's unit.
const DIGITS: u32 = 6;

/// The seller's answer to a request without a payment.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PaymentRequired {
    x402_version: u32,
    /// The reason why a payment was refused.
    #[serde(default)]
    pub(crate) error: String,
    /// The ways to pay. A payment repeats one of them as it was sent: the seller compares it as a whole.
    accepts: Vec<Box<RawValue>>,
}

/// One way to pay.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Terms {
    scheme: String,
    pub(crate) network: String,
    /// The amount in millionths of a dollar.
    amount: String,
    /// The contract of the token.
    pub(crate) asset: String,
    /// The receiver.
    pub(crate) pay_to: String,
    pub(crate) max_timeout_seconds: u64,
    pub(crate) extra: TokenNames,
}

/// The names that the token signs under.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TokenNames {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// An offer that this wallet can pay.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub(crate) terms: Terms,
    /// The terms as they were sent.
    raw: Box<RawValue>,
    /// The amount in millionths of a dollar.
    pub(crate) millionths: u64,
}

/// A payment, for the header `PAYMENT-SIGNATURE`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payment<'p, P> {
    x402_version: u32,
    accepted: &'p RawValue,
    payload: P,
}

/// The seller's receipt: its word, which nothing signs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    pub(crate) success: bool,
    /// The amount that was taken, in millionths of a dollar; a facilitator may leave it out.
    amount: Option<String>,
    #[serde(default)]
    pub(crate) transaction: String,
    #[serde(default)]
    pub(crate) error_reason: String,
}

impl PaymentRequired {
    /// Returns the offer that this wallet can pay; none if the seller takes no dollars by signature.
    pub(crate) fn offer(self) -> Option<Offer> {
        if self.x402_version != VERSION {
            return None;
        }
        self.accepts.into_iter().find_map(|raw| {
            let terms: Terms = serde_json::from_str(raw.get()).ok()?;
            let is_exact = terms.scheme == "exact" && terms.network.starts_with("eip155:");
            let millionths =
                terms.amount.parse().ok().filter(|_| is_exact && terms.extra.name == "USDC")?;
            Some(Offer { terms, raw, millionths })
        })
    }
}

impl Offer {
    pub(crate) fn price(&self) -> Decimal {
        dollars(self.millionths)
    }

    /// Makes the payment of this offer.
    pub(crate) fn payment<P>(&self, payload: P) -> Payment<'_, P> {
        Payment { x402_version: VERSION, accepted: &self.raw, payload }
    }
}

impl Receipt {
    /// Returns the amount that was taken; none if the receipt does not say.
    pub(crate) fn amount(&self) -> Option<Decimal> {
        self.amount.as_deref()?.parse().ok().map(dollars)
    }
}

fn dollars(millionths: u64) -> Decimal {
    Decimal::new(i64::try_from(millionths).unwrap_or(i64::MAX), DIGITS)
}

/// Reads a message from a header.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(header: &str) -> Option<T> {
    serde_json::from_slice(&BASE64_STANDARD.decode(header).ok()?).ok()
}

/// Writes a message for a header.
pub(crate) fn write(message: &impl Serialize) -> serde_json::Result<String> {
    Ok(BASE64_STANDARD.encode(serde_json::to_vec(message)?))
}
