//! The marks of tools that spend, and the budgets that `build()` refuses.

use serde_json::{Value, json};
use tool_runtime::budgets::Budget;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use crate::shop::{Shop, builder, cx, reason, taken};

fn shop(amount: &str) -> Shop {
    Shop::new(Policy::new().budget(Budget::new("money").per_day(amount)))
}

#[test]
fn the_schema_says_what_a_call_spends() {
    let shop = shop("1 EUR");
    let schema =
        |tool: &str| Value::Object(shop.runtime.spec(tool).expect("it").input_schema().clone());
    assert_eq!(schema("pay")["properties"]["amount"]["x-spends"], json!({"currency": "EUR"}));
    assert_eq!(schema("buy")["properties"]["price"]["x-spends"], json!({}));
    let minor = json!({"currency": "EUR", "minor_units": true});
    assert_eq!(schema("tip")["properties"]["cents"]["x-spends"], minor);
    let beside = json!({"currency_argument": "currency"});
    assert_eq!(schema("send")["properties"]["amount"]["x-spends"], beside);
    assert_eq!(schema("ask")["x-cost"], "0.02 USD");
    assert_eq!(schema("print")["x-cost"], "estimated");
}

#[tokio::test]
async fn a_function_of_the_tool_estimates_the_cost_of_a_call() {
    let shop = shop("10 EUR");
    let output = shop.call("print", r#"{"pages":30}"#).await;
    assert_eq!(taken(&output), [["day", "1.50", "8.50", "10.00"]], "{}", output.json());
    let output = shop.call("print", r#"{"pages":34,"color":true}"#).await;
    assert_eq!(taken(&output), [["day", "8.50", "0.00", "10.00"]], "{}", output.json());
    let output = shop.call("print", r#"{"pages":1}"#).await;
    assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
    // Arguments that cannot be read are refused by the tool's schema, and take nothing.
    let output = shop.call("print", r#"{"pages":"many"}"#).await;
    assert_eq!(output.error().and_then(|error| error.code()), Some("INVALID_ARGUMENT"));
}

#[tokio::test]
async fn a_call_with_an_estimated_cost_and_no_function_for_it_does_not_run() {
    let schema = json!({"type": "object", "properties": {}, "x-cost": "estimated"});
    let tool = DynamicTool::new("rent", Effect::Write)
        .description("Rents a car.")
        .input_schema(schema)
        .handles_dry_run()
        .handler(|_| async { Ok::<_, Failure>("rented") });
    let policy = Policy::new().budget(Budget::new("money").per_day("10 EUR"));
    let runtime = Runtime::builder().dynamic(tool).permission("rent", Permission::Allow);
    let runtime = runtime.policy(policy).build().expect("a runtime");
    let output = runtime.call("rent", "{}", &cx("jane")).execute().await.clone();
    assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
}

#[tokio::test]
async fn each_form_of_an_amount_is_counted_exactly() {
    let shop = shop("1000 EUR");
    for (tool, arguments, amount) in [
        ("pay", r#"{"amount":"0.000001"}"#, "0.000001"),
        ("pay", r#"{"amount":12.5}"#, "12.50"),
        ("buy", r#"{"price":{"amount":"3.10","currency":"EUR"}}"#, "3.10"),
        ("tip", r#"{"cents":250}"#, "2.50"),
        ("tip", "{}", "1.00"),
        ("send", r#"{"amount":"5","currency":"EUR"}"#, "5.00"),
    ] {
        let output = shop.call(tool, arguments).await;
        assert!(output.is_ok(), "{arguments}: {}", output.json());
        assert_eq!(taken(&output)[0][1], amount, "{arguments}");
    }
}

#[tokio::test]
async fn an_amount_that_cannot_be_counted_does_not_run() {
    let shop = shop("1000 EUR");
    for (arguments, message) in [
        (r#"{"amount":"-1"}"#, "expected zero or more"),
        (r#"{"amount":"0.0000001"}"#, "expected at most six digits after the point"),
        (r#"{"amount":1234567890.1234567}"#, "may be rounded: write it as text"),
        (r#"{"amount":"99999999999999"}"#, "expected at most 9223372036854.775807"),
    ] {
        let output = shop.call("pay", arguments).await;
        let error = output.error().expect("it is refused");
        assert_eq!(error.code(), Some("INVALID_ARGUMENT"), "{arguments}: {}", output.json());
        assert!(error.message().contains(message), "{arguments}: {}", error.message());
    }
    let output = shop.call("send", r#"{"amount":"1","currency":"XXY"}"#).await;
    assert_eq!(output.error().and_then(|error| error.code()), Some("INVALID_ARGUMENT"));
    assert_eq!(shop.paid(), 0);
}

#[tokio::test]
async fn money_in_a_currency_without_a_limit_is_refused() {
    let shop = shop("10 EUR");
    for (tool, arguments) in [("ask", "{}"), ("send", r#"{"amount":"1","currency":"USD"}"#)] {
        let output = shop.call(tool, arguments).await;
        assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
        let message = output.error().map(|error| error.message().to_owned()).unwrap_or_default();
        assert!(message.contains("no limit in USD"), "{message}");
    }
    let both = Budget::new("money").per_day("10 EUR").per_day("0.05 USD");
    let shop = Shop::new(Policy::new().budget(both));
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(shop.call("ask", "{}").await.is_ok());
    }
    assert_eq!(answers, [true, true, false], "five cents buy two answers");
}

#[tokio::test]
async fn the_host_marks_a_tool_that_it_did_not_write() {
    let remote = DynamicTool::new("remote.pay", Effect::Write)
        .description("Pays.")
        .input_schema(json!({
            "type": "object",
            "properties": {"cents": {
                "type": "integer",
                "x-spends": {"currency": "JPY", "minor_units": true},
            }},
            "required": ["cents"],
        }))
        .handles_dry_run()
        .handler(|_| async { Ok::<_, Failure>(()) });
    let policy = Policy::new().budget(Budget::new("yen").per_day("1000 JPY"));
    let runtime = Runtime::builder().dynamic(remote).permission("remote.pay", Permission::Allow);
    let runtime = runtime.policy(policy).build().expect("a runtime");
    let mut answers = Vec::new();
    for cents in [600, 600, 400] {
        let arguments = json!({"cents": cents}).to_string();
        answers.push(runtime.call("remote.pay", arguments, &cx("jane")).execute().await.clone());
    }
    assert_eq!(taken(&answers[0]), [["day", "600", "400", "1000"]]);
    assert_eq!(answers.iter().map(ToolOutput::is_ok).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn all_faults_of_budgets_are_reported_at_once() {
    let broken = DynamicTool::new("broken", Effect::Write)
        .description("Pays.")
        .input_schema(json!({
            "type": "object",
            "properties": {"amount": {"type": "string", "x-spends": {"currency": "EURO"}}},
        }))
        .handles_dry_run()
        .handler(|_| async { Ok::<_, Failure>(()) });
    let faulty = Budget::new("faulty")
        .per_day("500.00")
        .per_week("5 XXY")
        .per_month("1.1234567 EUR")
        .time_zone("Europe/Atlantis");
    let policy = Policy::new().budget(faulty).budget(Budget::new("empty"));
    let builder = builder().shared_state(std::sync::Arc::new(crate::shop::Seller::default()));
    let error = builder.dynamic(broken).policy(policy).build().expect_err("they are wrong");
    let text = error.to_string();
    for problem in [
        "the budget `faulty`: `day` is `500.00`: expected an amount and its unit: `12.50 EUR`, `20 calls`",
        "the budget `faulty`: `week` is `5 XXY`: expected a currency of ISO 4217, such as `EUR`",
        "the budget `faulty`: `month` is `1.1234567 EUR`: expected at most six digits after the point",
        "the budget `faulty`: no time zone is named `Europe/Atlantis`",
        "the budget `empty`: it limits nothing: add `per_day(\"500.00 EUR\")`",
        "a budget does not fit `broken`: the argument `amount` spends: the currency of `x-spends` is `EURO`",
    ] {
        assert!(text.contains(problem), "{problem}\nis not in\n{text}");
    }
}

#[test]
fn a_mark_inside_an_argument_is_refused() {
    let inner = json!({"type": "object", "properties": {"sum": {"type": "string", "x-spends": {"currency": "EUR"}}}});
    let tool = DynamicTool::new("split", Effect::Write)
        .description("Splits a bill.")
        .input_schema(
            json!({"type": "object", "properties": {"shares": {"type": "array", "items": inner}}}),
        )
        .handles_dry_run()
        .handler(|_| async { Ok::<_, Failure>(()) });
    let policy = Policy::new().budget(Budget::new("money").per_day("10 EUR"));
    let error = Runtime::builder().dynamic(tool).policy(policy).build().expect_err("it is refused");
    assert!(error.to_string().contains("`shares` has `x-spends` inside"), "{error}");
}
