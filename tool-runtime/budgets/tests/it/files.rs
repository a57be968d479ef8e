//! Budgets from a file.

use tool_runtime::budgets::Budget;
use tool_runtime::policy::Policy;

use crate::shop::{Shop, amount_json, cx, reason};

#[tokio::test]
async fn a_file_sets_what_the_methods_set() {
    let text = r#"
        [shopping]
        per_call = "40 EUR"
        per_day = ["50 EUR", "2 calls"]
        rolling = { 24h = "60 EUR", 7d = ["100 EUR"] }
        scope = "user"
        time_zone = "Europe/Berlin"
        over = "refuse"
        warn_at = 90
        hidden = false
        tools = ["pay"]

        [tips]
        lifetime = "3 EUR"
        scope = "attribute:project"
        tools = "tip"
    "#;
    let shop = Shop::new(Policy::new().budgets(Budget::from_toml(text).expect("budgets")));
    assert!(!shop.pay("41").await);
    assert!(shop.pay("40").await && shop.pay("10").await);
    assert!(!shop.pay("0.01").await);
    let bob = shop.call_as(&cx("bob"), "pay", &amount_json("40")).await;
    assert!(bob.is_ok(), "another user: {}", bob.json());
    // A tip has no project, so its budget belongs to nothing.
    assert_eq!(reason(&shop.call("tip", "{}").await), "budget_exceeded");
}

#[test]
fn a_file_is_refused_with_all_its_faults() {
    let text = r#"
        limit = 3

        [shopping]
        per_day = 500
        per_year = "1 EUR"
        per_week = ["1 EUR", "1 XXY"]
        rolling = { fortnight = "1 EUR", 30s = "1 EUR" }
        scope = "planet"
        time_zone = "Mars/Olympus"
        over = "shrug"
        warn_at = 0
        hidden = "no"

        [empty]
    "#;
    let refused = Budget::from_toml(text).expect_err("it is refused");
    let problems = refused.problems();
    let expected = [
        "`limit`: expected a table",
        "the budget `shopping`: `per_day`: expected a text",
        "the budget `shopping`: `per_year`: expected one of the keys",
        "the budget `shopping`: `week` is `1 XXY`: expected a currency of ISO 4217",
        "the budget `shopping`: `rolling`: expected lengths such as `15m`",
        "the budget `shopping`: `scope`: expected `tenant`",
        "the budget `shopping`: no time zone is named `Mars/Olympus`",
        "the budget `shopping`: `over`: expected `refuse` or `ask`",
        "the budget `shopping`: `warn_at` is 0: expected 1 to 100 percent",
        "the budget `shopping`: `hidden`: expected true or false",
        "the budget `empty`: it limits nothing",
    ];
    for expected in expected {
        assert!(problems.iter().any(|it| it.starts_with(expected)), "{expected}: {problems:#?}");
    }
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    assert!(refused.to_string().contains("Mars/Olympus"));
    let malformed = Budget::from_toml("[shopping]\nper_day = \n").expect_err("it is no TOML");
    assert!(malformed.to_string().contains("line 2"), "{malformed}");
    assert_eq!(Budget::from_toml("").expect("no budgets").len(), 0);
}
