//! A service of exchange rates: `GET /v1/rates/{from}/{to}`.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;

use super::LoopbackServer;

/// Serves the reference rates of the European Central Bank for one day.
#[derive(Debug)]
pub struct RatesServer {
    server: LoopbackServer,
}

/// The rates that the storefront's example has, and their day.
const EXCHANGE: &str = include_str!("../../../storefront/data/exchange.tsv");

/// The table of rates, and the failures that come before the next answers.
#[derive(Debug)]
struct Rates {
    day: String,
    /// The units of each currency for one euro.
    units: BTreeMap<String, f64>,
    failures: Mutex<VecDeque<StatusCode>>,
}

impl RatesServer {
    /// Starts a server; its first requests are answered with these statuses.
    ///
    /// # Errors
    /// No port is free, or the shipped table cannot be read.
    pub async fn start(failures: impl IntoIterator<Item = StatusCode>) -> io::Result<Self> {
        let mut rates = read(EXCHANGE).ok_or(io::ErrorKind::InvalidData)?;
        rates.failures = Mutex::new(failures.into_iter().collect());
        let router = Router::new().route("/v1/rates/{from}/{to}", get(answer));
        let server = LoopbackServer::start(router.with_state(Arc::new(rates))).await?;
        Ok(Self { server })
    }

    /// Returns the server's address, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.server.url
    }
}

async fn answer(
    State(rates): State<Arc<Rates>>,
    Path((from, to)): Path<(String, String)>,
) -> Response {
    let failure = rates.failures.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    if let Some(status) = failure {
        return (status, [(header::RETRY_AFTER, "1")]).into_response();
    }
    let (Some(from_units), Some(to_units)) = (rates.units.get(&from), rates.units.get(&to)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let rate = to_units / from_units;
    let body = json!({"from": from, "to": to, "rate": rate, "day": rates.day}).to_string();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Reads lines of a currency and its units for one euro; the first line is the day.
fn read(table: &str) -> Option<Rates> {
    let mut lines = table.lines().map(|line| line.split_once('\t'));
    let (_, day) = lines.next()??;
    let units = lines.map(|line| {
        let (currency, units) = line?;
        Some((currency.to_owned(), units.parse().ok()?))
    });
    let units = units.collect::<Option<_>>()?;
    Some(Rates { day: day.to_owned(), units, failures: Mutex::default() })
}
