//! The answers of the tools to a model's calls.

mod contracts;
mod once;
mod recorded;
mod traced;

use std::net::TcpListener;

use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::serde_json::{self, Value, json};
use tool_runtime::trace::TraceHeaders;

use crate::approval::Demo;
use crate::data::Sku;
use crate::files::Files;
use crate::host::Host;
use crate::money::{CurrencyCode, Money};
use crate::orders::{Claim, Order, OrderClient, OrderError, OrderService};
use crate::script::{CONVERSATION, Step};

async fn host() -> Host {
    host_that_asks(Policy::new().approver(Demo)).await
}

async fn host_that_asks(policy: Policy) -> Host {
    let files = Files::temporary().expect("a folder");
    Host::start(files, policy, false).await.expect("the shop opens")
}

async fn call(host: &Host, name: &str, arguments: Value) -> ResponseEnvelope {
    let mut outputs = host.turn(&[(name, &arguments.to_string())]).await.expect("a turn");
    outputs.pop().expect("an answer")
}

#[track_caller]
fn data(answer: &ResponseEnvelope) -> Value {
    let data = answer.data().unwrap_or_else(|| panic!("no data: {answer:?}"));
    serde_json::from_str(data.get()).expect("JSON")
}

#[track_caller]
fn refused_with(answer: &ResponseEnvelope, code: &str) -> Value {
    let error = answer.error().expect("an error");
    assert_eq!(error.code().as_str(), code, "{}", error.message());
    error.as_detail().details().cloned().map(Value::Object).unwrap_or_default()
}

fn order(sku: &str, dollars: i64) -> Order {
    Order { skus: vec![sku.into()], ship_to: "a".to_owned(), total: Money::dollars(dollars) }
}

fn claim(key: &str, fence: u64) -> Claim {
    Claim { key: Some(key.to_owned()), fence: Some(fence) }
}

/// Makes a draft order of the stone D00090 to California, with the right total.
async fn right_order(host: &Host) -> Value {
    let to = json!({"country": "US", "region": "CA"});
    let asked = json!({"skus": ["D00090"], "to": to, "service": "courier"});
    let total = data(&call(host, "checkout.compute_total", asked).await);
    let address = json!({
        "name": "Ada", "street": "1 Main Street", "city": "Los Angeles", "postcode": "90001",
        "region": "CA", "country": "US",
    });
    json!({
        "skus": ["D00090"], "address": address, "service": "courier",
        "expected_total": total["total"],
    })
}

#[tokio::test]
async fn the_conversation_ends_in_one_order() {
    let mut host = host().await;
    host.play(CONVERSATION).await.expect("it plays");
    let orders = host.orders().orders();
    assert_eq!(orders.len(), 1);
    assert_eq!(orders[0].total, Money::new(721_158, CurrencyCode::EUR));
}

#[tokio::test]
async fn a_dry_run_answers_the_total_and_orders_nothing() {
    let files = Files::temporary().expect("a folder");
    let host = Host::start(files, Policy::new(), true).await.expect("the shop opens");
    let arguments = right_order(&host).await;
    let planned = data(&call(&host, "checkout.create_draft_order", arguments.clone()).await);
    assert_eq!(planned.get("order_id"), None);
    assert_eq!(planned["bill"]["total"], arguments["expected_total"]);
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn a_stone_is_sold_once() {
    let mut host = host().await;
    let arguments = right_order(&host).await;
    data(&call(&host, "checkout.create_draft_order", arguments.clone()).await);
    host.play(&[Step::Says("The same again, please.")]).await.expect("it plays");
    let again = call(&host, "checkout.create_draft_order", arguments).await;
    assert_eq!(refused_with(&again, "OUT_OF_STOCK"), json!({"sku": "D00090"}));
    assert_eq!(host.orders().orders().len(), 1);
    host.shop().reprice(&Sku::from("D00090"), 1_000);
    let quote = call(&host, "pricing.get_realtime_quote", json!({"sku": "D00090"})).await;
    assert_eq!(data(&quote)["price"], Value::Null);
}

#[tokio::test]
async fn an_order_at_another_total_is_refused_with_the_total_of_now() {
    let host = host().await;
    let arguments = right_order(&host).await;
    host.shop().reprice(&Sku::from("D00090"), 1_000);
    let refused = call(&host, "checkout.create_draft_order", arguments).await;
    // 1000.00, courier 60.00 + 0.8 %, and California's 8.25 % on the goods.
    let now = json!({"total": {"minor_units": 115_050, "currency": "USD"}});
    assert_eq!(refused_with(&refused, "PRICE_CHANGED"), now);
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn the_law_blocks_an_order_that_it_forbids() {
    let host = host().await;
    let mut arguments = right_order(&host).await;
    arguments["address"]["country"] = json!("RU");
    let refused = call(&host, "checkout.create_draft_order", arguments).await;
    let details = refused_with(&refused, "COMPLIANCE_BLOCKED");
    assert_eq!(details["forbidden_by"][0]["rule"], "luxury-goods");
}

#[tokio::test]
async fn only_a_valuable_stone_that_goes_abroad_needs_papers() {
    let host = host().await;
    let cases = [
        ("D16290", "US", "NY", 0),
        ("D16290", "CA", "ON", 0),
        ("D16290", "JP", "JP", 1),
        ("D00090", "JP", "JP", 0),
    ];
    for (sku, country, region, papers) in cases {
        let to = json!({"country": country, "region": region});
        let checked = call(&host, "compliance.check_item", json!({"sku": sku, "to": to})).await;
        let checked = data(&checked);
        assert_eq!(checked["allowed"], true);
        assert_eq!(checked["papers"].as_array().map(Vec::len), Some(papers), "{sku} to {country}");
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_is_invalid() {
    let host = host().await;
    let wrong = [("country", "XX"), ("region", "ZZ"), ("postcode", "9000")];
    for (field, text) in wrong {
        let mut arguments = right_order(&host).await;
        arguments["address"][field] = json!(text);
        let refused = call(&host, "checkout.create_draft_order", arguments).await;
        refused_with(&refused, "ADDRESS_INVALID");
    }
}

#[tokio::test]
async fn a_region_that_is_missing_is_answered_with_the_regions() {
    let host = host().await;
    let asked = json!({"skus": ["D00090"], "to": {"country": "CA"}});
    let refused = call(&host, "shipping.quote_options", asked).await;
    let details = refused_with(&refused, "ADDRESS_INVALID");
    assert_eq!(details["regions"].as_array().map(Vec::len), Some(13));
}

#[tokio::test]
async fn a_code_that_no_currency_has_is_refused_at_its_place() {
    let host = host().await;
    let asked = json!({"sku": "D00090", "currency": "ZZZ"});
    let refused = call(&host, "pricing.get_realtime_quote", asked).await;
    let violation = refused_with(&refused, "INVALID_ARGUMENT")["violations"][0].clone();
    assert_eq!(violation["pointer"], "/currency");
}

#[tokio::test]
async fn a_total_is_the_sum_of_its_parts_in_every_currency() {
    let host = host().await;
    for currency in ["USD", "EUR", "JPY", "IDR"] {
        let asked = json!({
            "skus": ["D00090", "D00180", "D00270"], "to": {"country": "DE"},
            "service": "insured_post", "currency": currency,
        });
        let total = data(&call(&host, "checkout.compute_total", asked).await);
        let minor = |amount: &Value| amount["minor_units"].as_i64().expect("an amount");
        let lines = total["lines"].as_array().expect("lines");
        assert_eq!(
            lines.iter().map(|line| minor(&line["price"])).sum::<i64>(),
            minor(&total["goods"])
        );
        let parts = [&total["goods"], &total["shipping"], &total["levies"]["total"]];
        assert_eq!(parts.into_iter().map(minor).sum::<i64>(), minor(&total["total"]), "{currency}");
    }
}

#[tokio::test]
async fn country_and_province_are_levied_side_by_side() {
    let host = host().await;
    let to = json!({"country": "CA", "region": "QC"});
    let asked = json!({"skus": ["D00090"], "to": to, "service": "courier"});
    let levies = data(&call(&host, "tax.estimate_duties_and_taxes", asked).await);
    let rates: Vec<_> =
        levies["levies"].as_array().expect("levies").iter().map(|levy| &levy["rate"]).collect();
    assert_eq!(rates, ["5 %", "9.975 %"]);
    assert_eq!(levies["not_included"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_service_carries_what_its_values_admit() {
    let host = host().await;
    let asked = json!({"skus": ["D16290"], "to": {"country": "DE"}, "service": "armoured"});
    let refused = call(&host, "checkout.compute_total", asked).await;
    refused_with(&refused, "INVALID_ARGUMENT");
    let asked = json!({"skus": ["D16290", "D15210"], "to": {"country": "DE"}});
    let quoted = data(&call(&host, "shipping.quote_options", asked).await);
    assert_eq!(quoted["options"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn a_stone_is_found_by_its_description_until_it_is_sold() {
    let host = host().await;
    let asked = json!({"query": "0.32 carat premium I SI1", "limit": 10});
    let titles = |found: Value| found.to_string();
    let found = titles(data(&call(&host, "knowledge.search", asked.clone()).await));
    assert!(found.contains("D00090"), "{found}");
    host.shop().sell(&[Sku::from("D00090")]);
    let found = titles(data(&call(&host, "knowledge.search", asked).await));
    assert!(!found.contains("D00090"), "{found}");
}

#[tokio::test]
async fn orders_without_a_key_are_taken_twice_and_with_one_once() {
    let files = Files::temporary().expect("a folder");
    let service = OrderService::start(&files.orders()).await.expect("it starts");
    let client = OrderClient::new(service.address());
    for (claim, after) in [(Claim::default(), 2), (claim("a", 1), 3)] {
        for _ in 0..2 {
            client
                .place(order("D00090", 1), claim.clone(), &TraceHeaders::default())
                .await
                .expect("it is taken");
        }
        assert_eq!(service.orders().len(), after);
    }
}

#[tokio::test]
async fn a_key_holds_one_order_and_its_latest_owner() {
    let files = Files::temporary().expect("a folder");
    let service = OrderService::start(&files.orders()).await.expect("it starts");
    let client = OrderClient::new(service.address());
    client
        .place(order("D00090", 1), claim("a", 2), &TraceHeaders::default())
        .await
        .expect("it is taken");
    let other = client.place(order("D00090", 2), claim("a", 2), &TraceHeaders::default()).await;
    assert!(matches!(other, Err(OrderError::KeyReused)), "{other:?}");
    let late = client.place(order("D00090", 1), claim("a", 1), &TraceHeaders::default()).await;
    assert!(matches!(late, Err(OrderError::LeaseLost)), "{late:?}");
    assert_eq!(service.orders().len(), 1);
}

#[tokio::test]
async fn a_service_that_starts_again_knows_its_orders_and_their_owners() {
    let files = Files::temporary().expect("a folder");
    for (fence, repeated) in [(1, false), (3, true)] {
        let service = OrderService::start(&files.orders()).await.expect("it starts");
        let client = OrderClient::new(service.address());
        let receipt = client
            .place(order("D00090", 1), claim("a", fence), &TraceHeaders::default())
            .await
            .expect("taken");
        assert_eq!(receipt.repeated, repeated);
    }
    let service = OrderService::start(&files.orders()).await.expect("it starts");
    assert_eq!(service.orders(), [order("D00090", 1)]);
    let client = OrderClient::new(service.address());
    let late = client.place(order("D00090", 1), claim("a", 2), &TraceHeaders::default()).await;
    assert!(matches!(late, Err(OrderError::LeaseLost)), "{late:?}");
}

#[tokio::test]
async fn a_service_that_is_down_has_taken_nothing() {
    let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let client = OrderClient::new(free.expect("a free port"));
    let error = client
        .place(order("D00090", 1), Claim::default(), &TraceHeaders::default())
        .await
        .expect_err("it is down");
    assert!(matches!(error, OrderError::Unreachable(_)), "{error:?}");
    assert_eq!(error.failure().code().as_str(), "UNAVAILABLE");
}
