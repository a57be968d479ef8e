//! The client of a seller: asks for an offer, pays it, and reads the receipt.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::{Client, Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use tool_runtime::budgets::Decimal;
use tool_runtime::prelude::*;

use crate::authorization::{Wallet, hex, nonce};
use crate::offer::{self, Offer, PaymentRequired, Receipt};

/// The name under which an offer comes.
const REQUIRED: &str = "payment-required";
/// The name under which a payment is sent.
const SIGNATURE: &str = "payment-signature";
/// The name under which a receipt comes.
const RESPONSE: &str = "payment-response";

/// The longest time that the seller may take for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest validity of a payment, in seconds.
const MAX_VALIDITY: u64 = 300;

/// A seller of reports, with the wallet that pays it.
#[derive(Debug, Clone)]
pub struct Seller {
    base_url: String,
    http: Client,
    wallet: Wallet,
}

/// The error of a purchase.
#[derive(Debug, ToolFailure)]
pub(crate) enum SellerError {
    #[failure(NOT_FOUND, message = "the seller has no such report")]
    Unknown,
    #[failure(
        UPSTREAM_ERROR,
        message = "the seller takes no payment in dollars by signature",
        details(path),
        effect = "none"
    )]
    NoOffer { path: String },
    #[failure(PRICE_CHANGED, message = "the price is {price} USD now", details(price))]
    Dearer { price: Decimal },
    #[failure(
        UPSTREAM_ERROR,
        message = "the payment was refused: {reason}",
        details(reason),
        effect = "none"
    )]
    Refused { reason: String },
    #[failure(UPSTREAM_ERROR, hide, effect = "unknown")]
    Unclear(String),
    #[failure(UNAVAILABLE, hide, effect = "none")]
    Away(reqwest::Error),
    #[failure(INTERNAL, hide)]
    Unsigned,
}

/// A paid report.
#[derive(Debug)]
pub(crate) struct Paid {
    pub(crate) content: Value,
    /// The signed amount, or that of the receipt if it is more.
    pub(crate) amount: Decimal,
    pub(crate) transaction: String,
}

/// The settlements that the facilitator lists.
#[derive(Debug, Deserialize)]
struct Settlements {
    settlements: Vec<Settlement>,
}

#[derive(Debug, Deserialize)]
struct Settlement {
    nonce: String,
    amount: String,
    transaction: String,
}

impl Seller {
    /// Connects to the seller at this URL, with a wallet of a new key.
    ///
    /// # Errors
    /// There is no randomness, or no HTTP client can be made.
    pub fn new(base_url: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let wallet = Wallet::generate().ok_or("no key can be generated")?;
        let http = Client::builder().timeout(TIMEOUT).build()?;
        Ok(Self { base_url: base_url.trim_end_matches('/').to_owned(), http, wallet })
    }

    /// Asks for the price of a report. Nothing is signed.
    pub(crate) async fn offer(&self, path: &str) -> Result<Offer, SellerError> {
        let response = self.http.get(self.url(path)).send().await.map_err(SellerError::Away)?;
        if response.status() == StatusCode::NOT_FOUND {
            return Err(SellerError::Unknown);
        }
        let required: Option<PaymentRequired> = header(&response, REQUIRED);
        let no_offer = || SellerError::NoOffer { path: path.to_owned() };
        required.and_then(PaymentRequired::offer).ok_or_else(no_offer)
    }

    /// Pays an offer under a key: a repeat under the same key is the same payment, and takes nothing twice.
    pub(crate) async fn pay(
        &self,
        path: &str,
        offer: &Offer,
        key: &str,
    ) -> Result<Paid, SellerError> {
        let validity = offer.terms.max_timeout_seconds.min(MAX_VALIDITY);
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| SellerError::Unsigned)?;
        let signed = self.wallet.authorize(offer, nonce(key), now.as_secs() + validity);
        let signed = signed.ok_or(SellerError::Unsigned)?;
        let payment = offer::write(&offer.payment(signed)).map_err(|_| SellerError::Unsigned)?;
        let request = self.http.get(self.url(path)).header(SIGNATURE, payment);
        // From here on the seller may take the money.
        let response =
            request.send().await.map_err(|error| SellerError::Unclear(error.to_string()))?;
        let receipt: Option<Receipt> = header(&response, RESPONSE);
        match receipt {
            Some(receipt) if receipt.success => {
                // At least the signed amount: the receipt is the seller's word, and nothing signs it.
                let amount =
                    receipt.amount().map_or(offer.price(), |taken| taken.max(offer.price()));
                // The report is paid, whatever becomes of its content.
                let content = response.json().await.unwrap_or(Value::Null);
                Ok(Paid { content, amount, transaction: receipt.transaction })
            }
            // The facilitator's own words for a payment that it has not made.
            Some(receipt) if receipt.error_reason.starts_with("invalid_") => {
                Err(SellerError::Refused { reason: receipt.error_reason })
            }
            Some(receipt) => Err(SellerError::Unclear(receipt.error_reason)),
            None => Err(refused_or_unclear(&response)),
        }
    }

    /// Finds the payment under a key, as a wallet asks the token's contract for the state of a nonce.
    pub(crate) async fn find(&self, key: &str) -> Result<Option<Paid>, SellerError> {
        let response =
            self.http.get(self.url("settled")).send().await.map_err(SellerError::Away)?;
        let page: Settlements = response.json().await.map_err(SellerError::Away)?;
        let nonce = hex(&nonce(key));
        let settlement = page.settlements.into_iter().find(|it| it.nonce == nonce);
        Ok(settlement.map(|settlement| {
            let millionths = settlement.amount.parse().unwrap_or(i64::MAX);
            let amount = Decimal::new(millionths, 6);
            Paid { content: Value::Null, amount, transaction: settlement.transaction }
        }))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base_url)
    }
}

/// Tells a payment that was refused before anything was done from one that may have been taken.
fn refused_or_unclear(response: &Response) -> SellerError {
    let required: Option<PaymentRequired> = header(response, REQUIRED);
    match required {
        Some(required) if !required.error.contains("nonce") => {
            SellerError::Refused { reason: required.error }
        }
        Some(required) => SellerError::Unclear(required.error),
        None => SellerError::Unclear(format!("the seller answered {}", response.status())),
    }
}

fn header<T: for<'de> Deserialize<'de>>(response: &Response, name: &str) -> Option<T> {
    offer::read(response.headers().get(name)?.to_str().ok()?)
}

impl std::fmt::Display for SellerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown => f.write_str("no such report"),
            Self::NoOffer { path } => write!(f, "no offer for {path}"),
            Self::Dearer { price } => write!(f, "the price is {price}"),
            Self::Refused { reason } => write!(f, "refused: {reason}"),
            Self::Unclear(why) => write!(f, "unclear: {why}"),
            Self::Away(error) => write!(f, "away: {error}"),
            Self::Unsigned => f.write_str("unsigned"),
        }
    }
}

impl std::error::Error for SellerError {}
