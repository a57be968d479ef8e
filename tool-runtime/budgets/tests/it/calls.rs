//! The amounts that a call reserves, spends and gives back.

use futures::future::join_all;
use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::policy::{Policy, Resolution, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use crate::shop::{Behavior, Shop, amount_json, cx, keyed, reason, taken};

fn day(amount: &str) -> Policy {
    Policy::new().budget(Budget::new("shopping").per_day(amount))
}

#[tokio::test]
async fn an_answer_has_spent_its_amount_and_says_what_is_left() {
    let shop = Shop::new(day("120.00 EUR"));
    let output = shop.call("pay", &amount_json("40.00")).await;
    assert_eq!(taken(&output), [["day", "40.00", "80.00", "120.00"]], "{}", output.json());
    let output = shop.call("buy", r#"{"price":{"amount":"79.5","currency":"EUR"}}"#).await;
    assert_eq!(taken(&output), [["day", "79.50", "0.50", "120.00"]], "{}", output.json());

    let output = shop.call("pay", &amount_json("0.51")).await;
    let error = output.error().expect("it exceeds the budget");
    assert_eq!((error.code(), &*reason(&output)), (Some("COMPLIANCE_BLOCKED"), "budget_exceeded"));
    assert_eq!(
        error.message(),
        "this call exceeds a budget: it needs 0.51 EUR, and 0.50 of 120.00 EUR are left of `shopping` today; \
         it renews at 2026-03-29T00:00:00+00:00"
    );
    let details = error.details().expect("details");
    assert_eq!(details["effect"], "none");
    assert_eq!(details["budget"][0]["left"], "0.50");
    assert_eq!(details["budget"][0]["renews_at"], "2026-03-29T00:00:00+00:00");
    assert!(shop.pay("0.50").await);
    assert_eq!(shop.paid(), 12_000);
}

#[tokio::test]
async fn a_repeat_takes_nothing_and_gets_its_answer_when_nothing_is_left() {
    let shop = Shop::new(day("50 EUR"));
    let first = shop.call_as(&keyed("bill-1"), "pay", &amount_json("50")).await;
    assert!(first.is_ok(), "{}", first.json());
    let repeat = shop.call_as(&keyed("bill-1"), "pay", &amount_json("50")).await;
    assert_eq!((repeat.data_json(), taken(&repeat)), (first.data_json(), Vec::new()));
    assert_eq!(shop.paid(), 5_000);
    assert!(!shop.pay("0.01").await);
}

#[tokio::test]
async fn a_failure_without_effect_gives_its_amount_back() {
    let shop = Shop::new(day("50 EUR"));
    shop.seller.behaves(Behavior::SoldOut);
    let output = shop.call("pay", &amount_json("50")).await;
    assert_eq!(output.error().and_then(|error| error.code()), Some("OUT_OF_STOCK"));
    shop.seller.behaves(Behavior::Sells);
    assert!(shop.pay("50").await);
    assert!(!shop.pay("0.01").await);
}

#[tokio::test]
async fn the_attempts_of_a_call_have_one_reservation() {
    let retries = RetryConfig::new(3, 1.0, 10).expect("attempts");
    let shop = Shop::new(day("50 EUR").rules(ToolPolicy::new().retry(retries)));
    shop.seller.behaves(Behavior::BusyOnce);
    let output = shop.call_as(&keyed("bill-1"), "pay", &amount_json("50")).await;
    assert_eq!(taken(&output), [["day", "50.00", "0.00", "50.00"]], "{}", output.json());
    let meta: serde_json::Value = serde_json::from_str(output.meta_json()).expect("the meta");
    assert_eq!(meta["attempts"], 2, "{meta}");
    assert_eq!(shop.paid(), 5_000);
    assert!(!shop.pay("0.01").await);
}

#[tokio::test]
async fn an_unknown_outcome_holds_its_amount_until_it_is_resolved() {
    let shop = Shop::new(day("60 EUR"));
    for (key, resolution, left) in [
        ("bill-1", Resolution::DidNotHappen, "60"),
        ("bill-2", Resolution::Happened { answer: r#""sold""#.to_owned() }, "30"),
    ] {
        shop.seller.behaves(Behavior::Silent);
        let output = shop.call_as(&keyed(key), "pay", &amount_json("30")).await;
        assert_eq!(output.error().and_then(|error| error.code()), Some("TIMEOUT"));
        shop.seller.behaves(Behavior::Sells);
        assert!(!shop.pay("30.01").await, "the amount is held");

        let outcomes = shop.runtime.outcomes();
        let unknown = outcomes.unknown(Uuid::nil(), None, 10).await.expect("a list");
        assert_eq!(unknown.len(), 1);
        assert_eq!(unknown[0].reserved.len(), 1);
        outcomes.resolve(&unknown[0], resolution).await.expect("it is resolved");
        let above = format!("{left}.01");
        assert!(!shop.pay(&above).await);
        assert!(shop.pay("0.00").await, "an amount of zero needs nothing");
    }
    assert!(shop.pay("30").await);
    assert!(!shop.pay("0.01").await);
}

#[tokio::test]
async fn what_a_tool_reports_counts_in_place_of_what_was_reserved() {
    let shop = Shop::new(day("100 EUR"));
    shop.seller.behaves(Behavior::Charges(2_550));
    let output = shop.call("pay", &amount_json("30")).await;
    assert_eq!(taken(&output), [["day", "25.50", "74.50", "100.00"]], "{}", output.json());
    // More than was reserved is gone all the same, and the next call feels it.
    shop.seller.behaves(Behavior::Charges(8_000));
    let output = shop.call("pay", &amount_json("70")).await;
    assert_eq!(taken(&output), [["day", "80.00", "0.00", "100.00"]], "{}", output.json());
    shop.seller.behaves(Behavior::Sells);
    assert!(!shop.pay("0.01").await);
}

#[tokio::test]
async fn calls_at_once_never_spend_more_than_all_their_budgets() {
    let policy = Policy::new()
        .budget(Budget::new("each").per_day("30 EUR").scope(BudgetScope::User))
        .budget(Budget::new("all").per_day("70 EUR"));
    let shop = Shop::new(policy);
    let users = ["jane", "joe", "jim"].map(cx);
    let calls = (0..64).map(|number| shop.call_as(&users[number % 3], "pay", r#"{"amount":"4"}"#));
    let outputs = join_all(calls).await;
    let paid = outputs.iter().filter(|output| output.is_ok()).count();
    // 7 of 4 EUR fit into 30 EUR, and 17 into 70 EUR.
    assert_eq!((paid, shop.paid()), (17, 17 * 400));
    let refused = outputs.iter().filter(|output| reason(output) == "budget_exceeded").count();
    assert_eq!(refused, 64 - 17);
}

#[tokio::test]
async fn a_dry_run_takes_nothing_and_says_whether_the_budget_has_room() {
    let shop = Shop::new(day("50 EUR"));
    let dry = cx("jane").with_dry_run(true);
    let output = shop.call_as(&dry, "pay", &amount_json("50")).await;
    assert!(output.is_ok() && output.meta().warnings().is_empty(), "{}", output.json());
    let output = shop.call_as(&dry, "pay", &amount_json("50.01")).await;
    let warnings = output.meta().warnings().to_vec();
    assert_eq!(warnings.len(), 1, "{}", output.json());
    assert!(
        warnings[0].contains("50.00 of 50.00 EUR are left of `shopping` today"),
        "{warnings:?}"
    );
    assert!(warnings[0].ends_with("the call would be refused"), "{warnings:?}");
    assert!(shop.pay("50").await);
}

#[tokio::test]
async fn reads_are_limited_by_their_number() {
    let budget = Budget::new("lookups").per_hour("2 calls").tools(["look_up"]).hidden();
    let shop = Shop::new(Policy::new().budget(budget));
    for _ in 0..2 {
        let output = shop.call("look_up", r#"{"word":"tea"}"#).await;
        assert!(output.is_ok() && taken(&output).is_empty(), "{}", output.json());
    }
    let output = shop.call("look_up", r#"{"word":"tea"}"#).await;
    let message = output.error().map(|error| error.message().to_owned());
    assert_eq!(message.as_deref(), Some("this call exceeds a budget of the host"));
}
