//! The windows and scopes of limits.

use std::sync::Arc;
use std::time::Duration;

use tool_runtime::budgets::{Budget, BudgetScope, Decimal, Window};
use tool_runtime::contracts::{Actor, ActorType};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::UnixMillis;

use crate::shop::{Seller, Shop, amount_json, builder, cx, reason};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn shop(budget: Budget) -> Shop {
    Shop::new(Policy::new().budget(budget))
}

#[tokio::test]
async fn a_day_begins_and_ends_where_the_budget_s_zone_has_it() {
    let shop = shop(Budget::new("shopping").per_day("10 EUR").time_zone("Europe/Berlin"));
    assert!(shop.pay("10").await);
    // 23:59 in Berlin.
    shop.pass(29 * MINUTE);
    assert!(!shop.pay("0.01").await);
    shop.pass(MINUTE);
    assert!(shop.pay("10").await, "Sunday has begun in Berlin");
    // The day has 23 hours.
    shop.pass(22 * HOUR + 59 * MINUTE);
    assert!(!shop.pay("0.01").await);
    shop.pass(MINUTE);
    assert!(shop.pay("10").await, "Monday has begun");
}

#[tokio::test]
async fn weeks_and_months_follow_the_calendar() {
    let week = shop(Budget::new("weekly").per_week("10 EUR"));
    assert!(week.pay("10").await);
    week.pass(DAY);
    assert!(!week.pay("1").await, "Sunday is of the same week");
    week.pass(2 * HOUR);
    assert!(week.pay("10").await, "Monday");

    let month = shop(Budget::new("monthly").per_month("10 EUR"));
    assert!(month.pay("10").await);
    month.pass(3 * DAY);
    assert!(!month.pay("1").await, "the 31st");
    month.pass(DAY);
    assert!(month.pay("10").await, "the first of April");
}

#[tokio::test]
async fn an_hour_ends_with_the_hour_of_the_clock() {
    let shop = shop(Budget::new("hourly").per_hour("10 EUR"));
    // It is half past.
    assert!(shop.pay("10").await);
    shop.pass(29 * MINUTE);
    assert!(!shop.pay("0.01").await);
    shop.pass(MINUTE);
    assert!(shop.pay("10").await, "the next hour has begun");
}

#[tokio::test]
async fn the_day_on_which_an_hour_is_repeated_has_25() {
    let shop = shop(Budget::new("shopping").per_day("10 EUR").time_zone("Europe/Berlin"));
    // 2026-10-25, 00:00 in Berlin.
    shop.clock.set(UnixMillis::new(1_792_879_200_000));
    assert!(shop.pay("10").await);
    shop.pass(24 * HOUR + 59 * MINUTE);
    assert!(!shop.pay("0.01").await, "the same day");
    shop.pass(MINUTE);
    assert!(shop.pay("10").await, "Monday has begun");
}

#[tokio::test]
async fn a_rolling_window_forgets_what_is_older() {
    let shop = shop(Budget::new("rolling").rolling(HOUR, "10 EUR"));
    assert!(shop.pay("6").await);
    shop.pass(30 * MINUTE);
    assert!(shop.pay("4").await);
    shop.pass(29 * MINUTE);
    assert!(!shop.pay("0.01").await);
    // The first amount is forgotten with its sixtieth.
    shop.pass(2 * MINUTE);
    assert!(shop.pay("6").await);
    assert!(!shop.pay("0.01").await);
    shop.pass(10 * HOUR);
    assert!(shop.pay("10").await);
}

#[tokio::test]
async fn a_clock_that_is_set_back_over_midnight_gives_no_second_day() {
    let shop = shop(Budget::new("shopping").per_day("10 EUR"));
    assert!(shop.pay("10").await);
    shop.pass(2 * HOUR);
    assert!(shop.pay("10").await, "the next day");
    let now = crate::shop::SATURDAY;
    shop.clock.set(now);
    assert!(!shop.pay("0.01").await, "Saturday's money is spent");
    shop.clock.set(now.after(2 * HOUR));
    assert!(!shop.pay("0.01").await, "Sunday's too");
}

#[tokio::test]
async fn a_run_a_session_a_call_and_a_life_have_sums_of_their_own() {
    let other_run = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-2").user_id("jane");
    let other_run = other_run.session_id("chat-1").build().expect("a context");
    let cases = [(Window::Run, true), (Window::Session, false), (Window::Lifetime, false)];
    for (window, is_new_sum) in cases {
        let shop = shop(Budget::new("shopping").limit(window, "10 EUR"));
        assert!(shop.pay("10").await);
        let output = shop.call_as(&other_run, "pay", &amount_json("10")).await;
        assert_eq!(output.is_ok(), is_new_sum, "{window}: {}", output.json());
    }
    let shop = shop(Budget::new("shopping").per_call("10 EUR"));
    assert!(shop.pay("10").await && shop.pay("10").await);
    assert!(!shop.pay("10.01").await);
}

#[tokio::test]
async fn each_scope_has_its_own_sum() {
    let scoped = |scope| shop(Budget::new("shopping").per_day("10 EUR").scope(scope));
    let buy = r#"{"price":{"amount":"10","currency":"EUR"}}"#;
    for (scope, other_user, other_tool) in [
        (BudgetScope::Tenant, false, false),
        (BudgetScope::User, true, false),
        (BudgetScope::Tool, false, true),
    ] {
        let shop = scoped(scope.clone());
        assert!(shop.pay("10").await);
        let output = shop.call_as(&cx("joe"), "pay", &amount_json("10")).await;
        assert_eq!(output.is_ok(), other_user, "{scope:?}");
        assert_eq!(shop.call("buy", buy).await.is_ok(), other_tool, "{scope:?}");
    }
    let by_category = scoped(BudgetScope::Category);
    assert!(by_category.pay("10").await);
    let output = by_category.call("buy", buy).await;
    assert_eq!(reason(&output), "budget_exceeded", "it has no category: {}", output.json());

    let project = |name: &str| {
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1");
        cx.attributes([("project".to_owned(), name.to_owned())].into()).build().expect("a context")
    };
    let by_project = scoped(BudgetScope::Attribute("project".to_owned()));
    for (name, is_paid) in [("red", true), ("red", false), ("blue", true)] {
        let output = by_project.call_as(&project(name), "pay", &amount_json("10")).await;
        assert_eq!(output.is_ok(), is_paid, "{name}");
    }
}

struct Library;

/// Loans of a library.
#[ai_toolkit]
impl Library {
    /// Pays a fee.
    #[ai_tool(effect = "write")]
    #[allow(clippy::unused_self, reason = "it is a method of its toolkit")]
    fn fee(
        &self,
        dry_run: &DryRun,
        /// The fee.
        #[arg(spends = "EUR")]
        amount: Decimal,
    ) -> bool {
        let _ = amount;
        !dry_run.is_active()
    }

    /// Buys a book.
    #[ai_tool(effect = "write")]
    #[allow(clippy::unused_self, reason = "it is a method of its toolkit")]
    fn book(
        &self,
        dry_run: &DryRun,
        /// The price.
        #[arg(spends = "EUR")]
        amount: Decimal,
    ) -> bool {
        let _ = amount;
        !dry_run.is_active()
    }
}

#[tokio::test]
async fn the_tools_of_a_toolkit_and_the_calls_of_an_actor_share_a_sum() {
    let runtime = |scope| {
        let budget = Budget::new("loans").per_day("10 EUR").scope(scope);
        let mut builder = builder().shared_state(Arc::new(Seller::default())).toolkit(Library);
        for tool in ["library.fee", "library.book", "pay"] {
            builder = builder.permission(tool, Permission::Allow);
        }
        builder.policy(Policy::new().budget(budget)).build().expect("a runtime")
    };
    let fee = amount_json("10");
    let by_toolkit = runtime(BudgetScope::Toolkit);
    for (tool, expected) in
        [("library.fee", ""), ("library.book", "budget_exceeded"), ("pay", "budget_exceeded")]
    {
        let output = by_toolkit.call(tool, &fee, &cx("jane")).execute().await.clone();
        assert_eq!(reason(&output), expected, "{tool}: {}", output.json());
    }

    let actor = |kind, id: &str| {
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
        cx.actor(Actor::new(kind, id).expect("an actor")).build().expect("a context")
    };
    let by_actor = runtime(BudgetScope::Actor);
    for (cx, expected) in [
        (actor(ActorType::Agent, "one"), ""),
        (actor(ActorType::Agent, "one"), "budget_exceeded"),
        (actor(ActorType::Agent, "two"), ""),
        (actor(ActorType::System, "one"), ""),
        (cx("jane"), "budget_exceeded"),
    ] {
        let output = by_actor.call("pay", &fee, &cx).execute().await.clone();
        assert_eq!(reason(&output), expected, "{:?}: {}", cx.actor(), output.json());
    }
}
