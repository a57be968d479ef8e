//! Limits that a context brings along: of a sub-agent, a job, a remote caller.

use std::time::Duration;

use tool_runtime::ToolOutput;
use tool_runtime::budgets::{Allowances, Budget, BudgetScope};
use tool_runtime::contracts::{Allowance, AllowancePeriod};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use crate::shop::{Shop, amount_json, cx, reason, taken};

const DAY: Duration = Duration::from_secs(24 * 3_600);

fn shop() -> Shop {
    let budget = Budget::new("shopping").per_day("100 EUR").scope(BudgetScope::User);
    Shop::new(Policy::new().budget(budget).budget(Allowances::new()))
}

fn allowed(cx: &ToolContext, name: &str, amount: &str) -> ToolContext {
    let allowance = Allowance::new(name, amount).expect("an allowance");
    cx.with_allowance(allowance).expect("few allowances")
}

async fn pay(shop: &Shop, cx: &ToolContext, amount: &str) -> ToolOutput {
    shop.call_as(cx, "pay", &amount_json(amount)).await
}

#[tokio::test]
async fn a_call_needs_room_in_its_allowance_and_in_the_budget() {
    let shop = shop();
    let job = allowed(&cx("jane"), "job-1", "20 EUR");
    let output = pay(&shop, &job, "15").await;
    let expected = [["day", "15.00", "85.00", "100.00"], ["lifetime", "15.00", "5.00", "20.00"]];
    assert_eq!(taken(&output), expected, "{}", output.json());
    let refused = pay(&shop, &job, "6").await;
    assert_eq!(reason(&refused), "budget_exceeded");
    let message = refused.error().expect("it is refused").message().to_owned();
    assert!(
        message.contains("5.00 of 20.00 EUR are left of `allowance:job-1` in all"),
        "{message}"
    );
    assert!(pay(&shop, &cx("jane"), "85").await.is_ok(), "the user has the rest of the budget");
    assert_eq!(reason(&pay(&shop, &job, "1").await), "budget_exceeded", "the budget is used up");
}

#[tokio::test]
async fn a_part_of_an_allowance_is_not_larger_than_the_whole() {
    let shop = shop();
    let parent = allowed(&cx("jane"), "parent", "20 EUR");
    let (first, second) =
        (allowed(&parent, "first", "15 EUR"), allowed(&parent, "second", "90 EUR"));
    assert_eq!(reason(&pay(&shop, &first, "16").await), "budget_exceeded");
    assert!(pay(&shop, &first, "12").await.is_ok());
    assert_eq!(reason(&pay(&shop, &second, "9").await), "budget_exceeded", "the parent has 8 left");
    assert!(pay(&shop, &second, "8").await.is_ok());
    // The same name again lowers the limit, and does not raise it.
    let raised = allowed(&allowed(&cx("jane"), "same", "1 EUR"), "same", "50 EUR");
    assert_eq!(reason(&pay(&shop, &raised, "2").await), "budget_exceeded");
    assert!(pay(&shop, &raised, "1").await.is_ok());
}

#[tokio::test]
async fn an_allowance_counts_calls_and_renews_with_its_period() {
    let shop = shop();
    let daily = Allowance::new("reporter", "2 calls").expect("it").per(AllowancePeriod::Day);
    let cx = cx("jane").with_allowance(daily).expect("one");
    for expected in [true, true, false] {
        assert_eq!(shop.call_as(&cx, "tip", "{}").await.is_ok(), expected);
    }
    assert!(shop.call_as(&cx, "look_up", r#"{"word":"tea"}"#).await.is_ok(), "a read is free");
    shop.pass(DAY);
    assert!(shop.call_as(&cx, "tip", "{}").await.is_ok());
}

#[tokio::test]
async fn money_in_a_currency_that_an_allowance_does_not_name_is_refused() {
    let shop = shop();
    let job = allowed(&cx("jane"), "job-1", "20 USD");
    assert_eq!(reason(&pay(&shop, &job, "1").await), "budget_exceeded");
    let unknown = allowed(&cx("jane"), "job-2", "20 XXY");
    assert_eq!(reason(&pay(&shop, &unknown, "1").await), "budget_exceeded");
    assert_eq!(shop.paid(), 0);
}

#[tokio::test]
async fn a_runtime_that_does_not_count_allowances_refuses_the_writes_of_their_contexts() {
    let shop = Shop::new(Policy::new().budget(Budget::new("shopping").per_day("100 EUR")));
    let job = allowed(&cx("jane"), "job-1", "20 EUR");
    for tool in ["pay", "tip"] {
        let arguments = if tool == "pay" { amount_json("1") } else { "{}".to_owned() };
        let output = shop.call_as(&job, tool, &arguments).await;
        assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
    }
    let dry = shop.call_as(&job.with_dry_run(true), "pay", &amount_json("1")).await;
    assert_eq!(reason(&dry), "budget_exceeded", "{}", dry.json());
    assert!(shop.call_as(&job, "look_up", r#"{"word":"tea"}"#).await.is_ok());
    assert_eq!(shop.paid(), 0);
}

#[tokio::test]
async fn a_waiting_call_keeps_its_allowance() {
    let budget = Budget::new("shopping").per_day("100 EUR");
    let shop = Shop::asking(Policy::new().budget(budget).budget(Allowances::new()));
    let job = allowed(&cx("jane"), "job-1", "20 EUR");
    let waiting = pay(&shop, &job, "20").await;
    let ticket =
        waiting.error().and_then(|error| error.details()).expect("details")["ticket"].clone();
    // The resuming context has no allowance: that of the call counts.
    let mut call = shop.runtime.tickets().resume(&ticket.to_string(), &cx("jane")).await;
    call.approve("boss").expect("it is approved");
    assert!(call.execute().await.is_ok());
    let mut again = pay(&shop, &job, "1").await;
    assert_eq!(reason(&again), "budget_exceeded", "{}", again.json());
    again = pay(&shop, &cx("jane"), "1").await;
    assert_eq!(again.error().and_then(|error| error.code()), Some("NEEDS_USER_CONFIRMATION"));
}
