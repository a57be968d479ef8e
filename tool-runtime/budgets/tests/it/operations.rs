//! Budgets that are changed while calls use them.

use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::budgets::{Budget, BudgetError, RuntimeBudgets as _, Window};
use tool_runtime::policy::Policy;
use tool_runtime::store::StoreErrorKind;

use crate::shop::{Shop, amount_json};

const DAY: Duration = Duration::from_secs(24 * 3_600);

fn shop() -> Shop {
    Shop::new(Policy::new().budget(Budget::new("shopping").per_day("10 EUR").per_week("50 EUR")))
}

#[tokio::test]
async fn a_budget_is_paused_and_resumed() {
    let shop = shop();
    shop.runtime.budgets().set_limit("shopping", Window::Day, "12 EUR").await.expect("it is set");
    shop.runtime.budgets().pause("shopping").await.expect("it is paused");
    assert!(!shop.pay("0.01").await);
    shop.runtime.budgets().resume("shopping").await.expect("it is resumed");
    assert!(shop.pay("12").await, "a pause changes no limit");
    assert!(!shop.pay("0.01").await);
    shop.runtime.budgets().reset_limits("shopping").await.expect("they are reset");
    shop.pass(DAY);
    assert!(!shop.pay("10.01").await);
    assert!(shop.pay("10").await);
}

#[tokio::test]
async fn a_limit_of_each_call_alone_is_changed_and_paused_too() {
    let alone = Budget::new("alone").per_call("10 EUR");
    let shop = Shop::new(Policy::new().budget(alone));
    let budgets = shop.runtime.budgets();
    assert!(shop.pay("10").await && !shop.pay("10.01").await);
    budgets.set_limit("alone", Window::Call, "12 EUR").await.expect("it is set");
    assert!(shop.pay("12").await && !shop.pay("12.01").await);
    budgets.pause("alone").await.expect("it is paused");
    assert!(!shop.pay("1").await);
    budgets.resume("alone").await.expect("it is resumed");
    assert!(shop.pay("12").await, "a pause changes no limit");
    let periods = budgets.periods(Uuid::nil(), None, 10).await.expect("a list");
    assert!(periods.is_empty(), "calls alone have no sum: {periods:?}");
}

#[tokio::test]
async fn a_budget_that_only_asks_is_paused_too() {
    let asking = Budget::new("asking").ask_above("10 EUR");
    let shop = Shop::new(Policy::new().budget(asking));
    let budgets = shop.runtime.budgets();
    assert!(shop.pay("10").await);
    budgets.pause("asking").await.expect("it is paused");
    for amount in ["10", "10.01"] {
        let output = shop.call("pay", &amount_json(amount)).await;
        let message = output.error().expect("a refusal").message();
        assert_eq!(
            message,
            "this call exceeds a budget: it needs 1 call, and the budget `asking` is paused"
        );
    }
    let error = budgets.set_limit("asking", Window::Call, "5 calls").await.expect_err("no limit");
    assert_eq!(error.to_string(), "the policy has no limit `call` in calls of a budget `asking`");
    budgets.resume("asking").await.expect("it is resumed");
    assert!(shop.pay("10").await);
}

#[tokio::test]
async fn the_limits_are_listed_with_what_was_changed() {
    let budget = Budget::new("shopping").per_day("10 EUR").per_call("5 EUR");
    let shop =
        Shop::new(Policy::new().budget(budget).budget(Budget::new("all").ask_above("9 EUR")));
    let budgets = shop.runtime.budgets();
    budgets.set_limit("shopping", Window::Day, "12 EUR").await.expect("it is set");
    budgets.pause("all").await.expect("it is paused");
    let limits = budgets.limits().await.expect("the limits");
    let euros = 1_000_000;
    let states = limits.iter().map(|state| {
        let limit = &state.limit;
        (&*limit.budget, &*limit.limit, limit.amount, state.changed_to, state.paused)
    });
    let expected = [
        ("shopping", "day", Some(10 * euros), Some(12 * euros), false),
        ("shopping", "call", Some(5 * euros), None, false),
        ("all", "call", None, None, true),
    ];
    assert_eq!(states.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_sum_is_raised_for_its_period_alone() {
    let shop = shop();
    assert!(shop.pay("10").await);
    let periods = shop.runtime.budgets().periods(Uuid::nil(), None, 10).await.expect("a list");
    let day = periods.iter().find(|period| &*period.account.limit == "day").expect("the day");
    assert_eq!((day.balance.spent, day.balance.reserved, day.limit), (10_000_000, 0, 10_000_000));
    shop.runtime.budgets().raise(day, "5 EUR").await.expect("it is raised");
    assert!(!shop.pay("5.01").await);
    assert!(shop.pay("5").await);
    shop.pass(DAY);
    assert!(!shop.pay("10.01").await);
}

#[tokio::test]
async fn a_change_that_no_budget_fits_says_why() {
    let shop = shop();
    let budgets = shop.runtime.budgets();
    let errors = [
        budgets.pause("shoping").await,
        budgets.set_limit("shopping", Window::Hour, "5 EUR").await,
        budgets.set_limit("shopping", Window::Day, "5 USD").await,
        budgets.set_limit("shopping", Window::Day, "five EUR").await,
    ];
    let texts = errors.map(|error| error.expect_err("it is refused").to_string());
    assert_eq!(
        texts,
        [
            "the policy has no budget `shoping`",
            "the policy has no limit `hour` in EUR of a budget `shopping`",
            "the policy has no limit `day` in USD of a budget `shopping`",
            "the amount `five EUR`: expected digits, with a point and at most six more: `12.50`",
        ]
    );
    let none = Shop::new(Policy::new());
    let error = none.runtime.budgets().pause("shopping").await.expect_err("it has no budgets");
    assert!(!matches!(error, BudgetError::Store(error) if error.kind() == StoreErrorKind::Damaged));
}
