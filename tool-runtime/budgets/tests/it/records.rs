//! Observers of spending: the records of calls, and warnings.

use std::sync::{Arc, Mutex};

use tool_runtime::CallRecord;
use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::policy::{BudgetWarning, Policy};
use tool_runtime::prelude::*;

use crate::shop::{Behavior, Seller, amount_json, builder, cx};

/// The amounts of a call as text, one for each limit.
fn written(record: &CallRecord<'_>) -> Vec<String> {
    let text = |it: &tool_runtime::SpendingRecord| {
        format!("{} {} {:?}", it.limit, it.unit.format(it.amount), it.outcome)
    };
    record.spending().iter().map(text).collect()
}

struct Recorded {
    runtime: Runtime,
    seller: Arc<Seller>,
    records: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Recorded {
    fn new(policy: Policy) -> Self {
        let (seller, records) = (Arc::new(Seller::default()), Arc::<Mutex<Vec<_>>>::default());
        let observed = records.clone();
        let runtime = builder()
            .shared_state(seller.clone())
            .permission("pay", Permission::Allow)
            .observe(move |record: &CallRecord<'_>| {
                observed.lock().expect("the records").push(written(record));
            })
            .policy(policy)
            .build()
            .expect("a runtime");
        Self { runtime, seller, records }
    }

    async fn pay(&self, cx: &ToolContext, amount: &str) -> Vec<String> {
        self.runtime.call("pay", amount_json(amount), cx).execute().await;
        self.records.lock().expect("the records").pop().expect("a record")
    }
}

#[tokio::test]
async fn the_record_of_a_call_says_what_became_of_its_amounts() {
    let budget = Budget::new("shopping").per_day("50 EUR").lifetime("3 calls");
    let shop = Recorded::new(Policy::new().budget(budget));
    let keyed = |key: &str| cx("jane").with_idempotency_key(key).expect("a key");
    let first = keyed("first");
    assert_eq!(
        shop.pay(&first, "40").await,
        ["day 40.00 EUR Spent(40000000)", "lifetime 1 call Spent(1)"]
    );
    assert_eq!(
        shop.pay(&first, "40").await,
        ["day 40.00 EUR Replayed(40000000)", "lifetime 1 call Replayed(1)"]
    );
    assert_eq!(shop.pay(&cx("jane").with_dry_run(true), "5").await, [""; 0], "a dry run");
    assert_eq!(shop.pay(&cx("jane"), "11").await, ["day 11.00 EUR Refused"]);
    shop.seller.behaves(Behavior::SoldOut);
    assert_eq!(
        shop.pay(&cx("jane"), "10").await,
        ["day 10.00 EUR Spent(0)", "lifetime 1 call Spent(0)"]
    );
    shop.seller.behaves(Behavior::Charges(700));
    for outcome in ["Spent", "Replayed"] {
        assert_eq!(
            shop.pay(&keyed("dear"), "5").await,
            [format!("day 5.00 EUR {outcome}(7000000)"), format!("lifetime 1 call {outcome}(1)")]
        );
    }
    shop.seller.behaves(Behavior::Silent);
    assert_eq!(shop.pay(&keyed("lost"), "3").await, ["day 3.00 EUR Held", "lifetime 1 call Held"]);
}

#[tokio::test]
async fn a_warning_comes_once_when_most_of_a_limit_is_used() {
    let warnings = Arc::<Mutex<Vec<BudgetWarning>>>::default();
    let observed = warnings.clone();
    let budget = Budget::new("shopping").per_day("100 EUR").scope(BudgetScope::User);
    let half = Budget::new("half").lifetime("200 EUR").warn_at(50);
    let policy = Policy::new().budget(budget).budget(half).observe_budgets(
        move |warning: &BudgetWarning| observed.lock().expect("warnings").push(warning.clone()),
    );
    let shop = Recorded::new(policy);
    let mut texts = Vec::new();
    for amount in ["79.99", "0.01", "19", "1.01", "1"] {
        shop.pay(&cx("jane"), amount).await;
        let new = std::mem::take(&mut *warnings.lock().expect("warnings"));
        texts.push(new.iter().map(text).collect::<Vec<_>>().join(", "));
    }
    let expected = ["", "shopping user:jane 80.00 of 100.00 EUR, 80 %", "", "", ""];
    assert_eq!(texts[..4], expected[..4], "{texts:?}");
    assert_eq!(texts[4], "half tenant 100.00 of 200.00 EUR, 50 %");
}

fn text(warning: &BudgetWarning) -> String {
    let (account, unit) = (&warning.account, warning.account.unit);
    format!(
        "{} {} {} of {}, {} %",
        account.budget,
        account.scope,
        unit.format_number(warning.used),
        unit.format(warning.total),
        warning.percent,
    )
}
