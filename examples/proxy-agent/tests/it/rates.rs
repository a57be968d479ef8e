//! Calls of the service of exchange rates.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use proxy_agent::{DataFolder, Host};
use serde_json::json;
use tokio::net::TcpListener;
use tool_runtime::agent::ToolExecutor as _;
use tool_runtime::contracts::act::ToolType::ApiCall;
use tool_runtime::contracts::act::{RetryConfig, ToolRequest};

use crate::{Place, code, data, executor};

#[tokio::test]
async fn an_amount_is_converted_by_the_rates_of_the_service() {
    let place = Place::new().await;
    let parameters = json!({"amount": 140, "from": "EUR", "to": "USD"});
    let converted = data(&place.run(ApiCall, "rates.convert", parameters).await);
    let expected =
        json!({"amount": 156.41, "currency": "USD", "rate": 1.1172, "day": "2026-10-30"});
    assert_eq!(converted, expected);
}

#[tokio::test]
async fn a_service_that_fails_once_is_asked_again() {
    let place = Place::with_failing_rates([StatusCode::SERVICE_UNAVAILABLE]).await;
    let request = ToolRequest::builder("rates", ApiCall, "convert")
        .parameters(json!({"amount": 1, "from": "EUR", "to": "CNY"}))
        .retry_config(RetryConfig::new(2, 1.0, 10).unwrap())
        .build()
        .unwrap();
    let result = place.executor().execute_async(&request).await.unwrap();
    assert_eq!((data(&result)["amount"].clone(), result.retry_count()), (json!(7.43), 1));
}

/// Makes a request that is not repeated.
fn once(to: &str) -> ToolRequest {
    let never = RetryConfig::new(1, 1.0, 10).unwrap();
    ToolRequest::builder("rates", ApiCall, "convert")
        .parameters(json!({"amount": 1, "from": "EUR", "to": to}))
        .retry_config(never)
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_failure_of_the_service_has_its_code() {
    let failures = [StatusCode::TOO_MANY_REQUESTS, StatusCode::BAD_GATEWAY];
    let place = Place::with_failing_rates(failures).await;
    let executor = place.executor();
    let convert = async |to: &str| executor.execute_async(&once(to)).await.unwrap();
    assert_eq!(code(&convert("USD").await), "RATE_LIMITED");
    assert_eq!(code(&convert("USD").await), "UPSTREAM_ERROR");
    assert_eq!(code(&convert("XXX").await), "NOT_FOUND");
    drop(place.rates);
    assert_eq!(code(&convert("GBP").await), "UNAVAILABLE");
}

#[tokio::test]
async fn the_delay_that_the_service_advises_is_waited_for() {
    let place = Place::with_failing_rates([StatusCode::TOO_MANY_REQUESTS]).await;
    let started = Instant::now();
    let parameters = json!({"amount": 1, "from": "EUR", "to": "USD"});
    let result = place.run(ApiCall, "rates.convert", parameters).await;
    assert_eq!((data(&result)["rate"].clone(), result.retry_count()), (json!(1.1172), 1));
    assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_service_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let folder = DataFolder::temporary().unwrap();
    let host = Host::start(&folder, &url).await.unwrap();
    let request = ToolRequest::builder("rates", ApiCall, "convert")
        .parameters(json!({"amount": 1, "from": "EUR", "to": "USD"}))
        .timeout_seconds(1)
        .build()
        .unwrap();
    let result = executor(&host).execute_async(&request).await.unwrap();
    assert_eq!(code(&result), "TIMEOUT");
}

#[tokio::test]
async fn a_currency_cannot_change_the_path() {
    let place = Place::new().await;
    for to in ["USD/../..", "usd", "US", "USD?x=1", "USD\n"] {
        let parameters = json!({"amount": 1, "from": "EUR", "to": to});
        let refused = place.run(ApiCall, "rates.convert", parameters).await;
        assert_eq!(code(&refused), "INVALID_ARGUMENT", "{to}");
    }
}
