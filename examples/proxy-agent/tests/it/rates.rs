//! Calls of the service of exchange rates.

use axum::http::StatusCode;
use proxy_agent::{DataFolder, Host};
use serde_json::json;
use tokio::net::TcpListener;
use tool_runtime::agent::ToolExecutor as _;
use tool_runtime::contracts::act::ToolType::ApiCall;
use tool_runtime::contracts::act::{RetryConfig, ToolRequest};

use crate::{Place, code, data, executor, run};

#[tokio::test]
async fn an_amount_is_converted_by_the_rates_of_the_service() {
    let place = Place::new().await;
    let parameters = json!({"amount": 140, "from": "EUR", "to": "USD"});
    let converted = data(&place.run(ApiCall, "rates.convert", parameters).await);
    let expected =
        json!({"converted": 156.41, "currency": "USD", "rate": 1.1172, "day": "2026-10-30"});
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
    assert_eq!((data(&result)["converted"].clone(), result.retry_count()), (json!(7.43), 1));
}

#[tokio::test]
async fn each_failure_of_the_service_has_its_code() {
    let failures = [StatusCode::TOO_MANY_REQUESTS, StatusCode::BAD_GATEWAY];
    let place = Place::with_failing_rates(failures).await;
    let euros = |to: &str| json!({"amount": 1, "from": "EUR", "to": to});
    let limited = place.run(ApiCall, "rates.convert", euros("USD")).await;
    assert_eq!(code(&limited), "RATE_LIMITED");
    assert_eq!(limited.metadata()["retry_after_ms"], 1_000);
    let failed = place.run(ApiCall, "rates.convert", euros("USD")).await;
    assert_eq!(code(&failed), "UPSTREAM_ERROR");
    let unknown = place.run(ApiCall, "rates.convert", euros("XXX")).await;
    assert_eq!(code(&unknown), "NOT_FOUND");
    let Place { host, rates, folder: _folder } = place;
    drop(rates);
    let unreachable = run(&host, ApiCall, "rates.convert", euros("GBP")).await;
    assert_eq!(code(&unreachable), "UNAVAILABLE");
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
