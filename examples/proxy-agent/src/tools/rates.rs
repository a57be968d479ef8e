//! `rates`: a service of exchange rates over HTTP, of the type `api_call`.

use std::time::Duration;

use reqwest::{Client, StatusCode, redirect};
use serde::Deserialize;
use tool_runtime::prelude::*;

/// The client of a service of exchange rates.
#[derive(Debug)]
pub(crate) struct Rates {
    client: Client,
    base_url: String,
}

/// An amount in another currency.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Conversion {
    /// The amount in the currency asked for, rounded to hundredths.
    amount: f64,
    /// The currency of that amount.
    currency: String,
    /// The units of it for one of the other.
    rate: f64,
    /// The day of the rate.
    day: String,
}

/// The error of a conversion.
#[derive(Debug, ToolFailure)]
pub(crate) enum RatesError {
    /// The service has no such rate.
    #[failure(NOT_FOUND, message = "the service has no rate between these currencies")]
    NoRate,
    /// The service limits the rate of requests.
    #[failure(
        RATE_LIMITED,
        message = "the service of rates limits the rate of requests",
        retry_after_ms = retry_after_ms
    )]
    Limited {
        /// The delay that the service advises.
        retry_after_ms: Option<u64>,
    },
    /// The service failed.
    #[failure(UPSTREAM_ERROR, hide, upstream_status = status)]
    Refused {
        /// The response's status.
        status: u16,
    },
    /// The service is too slow.
    #[failure(TIMEOUT, message = "the service of rates did not answer in time")]
    TooSlow,
    /// The service cannot be reached.
    #[failure(UNAVAILABLE, message = "the service of rates cannot be reached", retry_after = "1s")]
    NotReached(reqwest::Error),
    /// The response is not what the service promises.
    #[failure(UPSTREAM_ERROR, message = "the response of the service of rates is unreadable")]
    Unreadable,
}

/// The response of the service.
#[derive(Deserialize)]
struct Rate {
    rate: f64,
    day: String,
}

/// The time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The longest response that is read, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

impl Rates {
    /// Makes a client of the service at this address, such as `http://127.0.0.1:8001`.
    ///
    /// # Errors
    /// No HTTP client can be made.
    pub(crate) fn new(base_url: &str) -> reqwest::Result<Self> {
        let client = Client::builder()
            .timeout(TIME_LIMIT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()?;
        Ok(Self { client, base_url: base_url.to_owned() })
    }

    async fn rate(&self, from: &str, to: &str) -> Result<Rate, RatesError> {
        // Both are three capital letters, as their schema demands, so that they cannot change the path.
        let url = format!("{}/v1/rates/{from}/{to}", self.base_url);
        let mut response = self.client.get(url).send().await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Err(RatesError::NoRate),
            StatusCode::TOO_MANY_REQUESTS => {
                return Err(RatesError::Limited { retry_after_ms: retry_after_ms(&response) });
            }
            status => return Err(RatesError::Refused { status: status.as_u16() }),
        }
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await? {
            body.extend_from_slice(&part);
            if body.len() > MAX_RESPONSE_BYTES {
                return Err(RatesError::Unreadable);
            }
        }
        serde_json::from_slice(&body).map_err(|_| RatesError::Unreadable)
    }
}

/// Exchange rates.
#[ai_toolkit]
impl Rates {
    /// Converts an amount of money between two currencies.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "api_call",
        timeout = "5s",
        ttl = "60s",
        shared,
        open_world
    )]
    async fn convert(
        &self,
        /// The amount.
        #[arg(range(0.0..=1e12))]
        amount: f64,
        /// The currency that it is in, by its code in ISO 4217.
        #[arg(pattern = "^[A-Z]{3}$", example = "EUR")]
        from: &str,
        /// The currency that it becomes, by its code in ISO 4217.
        #[arg(pattern = "^[A-Z]{3}$", example = "USD")]
        to: &str,
    ) -> Result<Conversion, RatesError> {
        let Rate { rate, day } = self.rate(from, to).await?;
        let amount = (amount * rate * 100.0).round() / 100.0;
        Ok(Conversion { amount, currency: to.to_owned(), rate, day })
    }
}

/// Reads the seconds of `Retry-After`.
fn retry_after_ms(response: &reqwest::Response) -> Option<u64> {
    let seconds = response.headers().get(reqwest::header::RETRY_AFTER)?.to_str().ok()?;
    seconds.trim().parse::<u64>().ok()?.checked_mul(1_000)
}

impl From<reqwest::Error> for RatesError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() { Self::TooSlow } else { Self::NotReached(error) }
    }
}
