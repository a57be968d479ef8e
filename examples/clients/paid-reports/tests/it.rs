//! Purchases at the real seller, which `seller/run` starts; without one, the tests say that they were left out.

use paid_reports::{Seller, runtime};
use serde_json::Value;
use tool_runtime::ToolOutput;
use tool_runtime::budgets::RuntimeBudgets as _;
use tool_runtime::prelude::*;
use tool_runtime::serde_json;

/// A buyer with a wallet of its own.
struct Buyer {
    runtime: Runtime,
    url: String,
}

impl Buyer {
    fn new() -> Option<Self> {
        let Ok(url) = std::env::var("X402_SELLER") else {
            eprintln!("left out: X402_SELLER names no seller; with one: seller/run cargo test");
            return None;
        };
        let runtime = runtime(Seller::new(&url).expect("a seller")).expect("a runtime");
        Some(Self { runtime, url })
    }

    async fn call(&self, tool: &str, arguments: &str, key: Option<&str>) -> ToolOutput {
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
        let cx = cx.build().expect("a context");
        let cx = match key {
            Some(key) => cx.with_idempotency_key(key).expect("a key"),
            None => cx,
        };
        self.runtime.call(tool, arguments, &cx).execute().await.clone()
    }

    async fn buy(&self, report: &str, price: &str, key: &str) -> ToolOutput {
        let arguments = format!(r#"{{"report":"{report}","price":"{price}"}}"#);
        self.call("buy_report", &arguments, Some(key)).await
    }

    /// Returns the millionths of a dollar that the budget has spent and reserved.
    async fn used(&self) -> (u64, u64) {
        let periods = self.runtime.budgets().periods(Uuid::nil(), None, 10).await.expect("a list");
        periods.first().map_or((0, 0), |it| (it.balance.spent, it.balance.reserved))
    }

    /// Returns the transactions that the facilitator has settled.
    async fn settled(&self) -> Vec<Value> {
        let response = reqwest::get(format!("{}/settled", self.url)).await.expect("an answer");
        let body: Value = response.json().await.expect("JSON");
        body["settlements"].as_array().expect("a list").clone()
    }
}

fn field(output: &ToolOutput, name: &str) -> String {
    let data: Value = serde_json::from_str(output.data_json().unwrap_or("null")).expect("JSON");
    data[name].as_str().unwrap_or_default().to_owned()
}

fn reason(output: &ToolOutput) -> String {
    let details = output.error().and_then(|error| error.details());
    let reason = details.and_then(|details| details.get("reason")).and_then(Value::as_str);
    reason.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_report_is_bought_and_the_amount_of_the_receipt_is_spent() {
    let Some(buyer) = Buyer::new() else { return };
    let quote = buyer.call("quote_report", r#"{"report":"weather"}"#, None).await;
    assert_eq!(field(&quote, "price"), "0.01", "{}", quote.json());
    // More than the price is reserved, and what was taken is spent.
    let bought = buyer.buy("weather", "0.50", "first").await;
    assert_eq!(field(&bought, "paid"), "0.01", "{}", bought.json());
    assert!(field(&bought, "content").contains("Utrecht"), "{}", bought.json());
    assert!(bought.meta_json().contains(r#""taken":"0.01""#), "{}", bought.meta_json());
    assert_eq!(buyer.used().await, (10_000, 0));
    let transaction = field(&bought, "transaction");
    let settled = buyer.settled().await;
    let settled = settled.iter().filter(|it| it["transaction"] == *transaction).count();
    assert_eq!(settled, 1);
}

#[tokio::test]
async fn a_report_that_is_dearer_than_the_budget_is_refused_before_anything_is_signed() {
    let Some(buyer) = Buyer::new() else { return };
    let before = buyer.settled().await.len();
    let refused = buyer.buy("report", "5.00", "dear").await;
    assert_eq!(reason(&refused), "budget_exceeded", "{}", refused.json());
    let message = refused.error().expect("an error").message().to_owned();
    assert!(
        message.contains("it needs 5.00 USD, and 1.00 of 1.00 USD are left of `reports` today"),
        "{message}"
    );
    assert_eq!(buyer.used().await, (0, 0));
    let paid_reports = buyer.settled().await.split_off(before);
    assert!(paid_reports.iter().all(|it| it["path"] != "/report"), "{paid_reports:?}");
}

#[tokio::test]
async fn a_price_above_the_quoted_one_is_not_paid() {
    let Some(buyer) = Buyer::new() else { return };
    let refused = buyer.buy("report", "0.90", "cheap").await;
    assert_eq!(refused.error().and_then(|error| error.code()), Some("PRICE_CHANGED"));
    assert_eq!(buyer.used().await, (0, 0), "the reservation is free again");
}

#[tokio::test]
async fn a_repeat_pays_nothing_and_a_lost_answer_is_found() {
    let Some(buyer) = Buyer::new() else { return };
    let first = buyer.buy("weather", "0.01", "same").await;
    let again = buyer.buy("weather", "0.01", "same").await;
    assert_eq!(field(&again, "transaction"), field(&first, "transaction"));
    assert_eq!(buyer.used().await, (10_000, 0));
    // Another process with the same wallet and key, which knows nothing of the first payment.
    let url = &buyer.url;
    let seller = Seller::new(url).expect("a seller");
    let [one, two] = [(); 2]
        .map(|()| Buyer { runtime: runtime(seller.clone()).expect("a runtime"), url: url.clone() });
    let paid = one.buy("weather", "0.01", "lost").await;
    assert!(paid.is_ok(), "{}", paid.json());
    let unclear = two.buy("weather", "0.01", "lost").await;
    assert!(unclear.error().is_some(), "the seller takes no nonce twice: {}", unclear.json());
    assert_eq!(two.used().await, (0, 10_000), "an unknown outcome holds its amount");
    let repeat = two.buy("weather", "0.01", "lost").await;
    assert_eq!(field(&repeat, "transaction"), field(&paid, "transaction"), "{}", repeat.json());
    assert_eq!(two.used().await, (10_000, 0));
}
