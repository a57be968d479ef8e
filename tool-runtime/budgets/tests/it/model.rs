//! Random calls against a reference of a few lines: each answer and each sum is the same, in memory and in a file.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any};
use proptest::prop_oneof;
use proptest::test_runner::TestRunner;
use tool_runtime::ToolOutput;
use tool_runtime::budgets::{Budget, BudgetScope, RuntimeBudgets as _};
use tool_runtime::policy::{Policy, Resolution};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use crate::shop::{Behavior, Shop, cx, reason};

const USERS: [&str; 2] = ["ann", "bob"];
/// Cents: of each user on a day in Berlin, and of all of them.
const LIMITS: (u64, u64) = (5_000, 12_000);
const HOUR: Duration = Duration::from_secs(3_600);

/// A step of a host's day.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A user pays the amount of a key.
    Pay { user: usize, key: u8, behavior: Behavior },
    /// A person resolves the outcome of a key.
    Resolve { user: usize, key: u8, happened: bool },
    /// Time passes; less than a day in all, after which answers are forgotten.
    Pass,
}

fn step() -> impl Strategy<Value = Step> {
    let behavior = prop_oneof![
        4 => Just(Behavior::Sells),
        1 => Just(Behavior::SoldOut),
        2 => Just(Behavior::Silent),
        1 => (1..4_000_u64).prop_map(Behavior::Charges),
    ];
    prop_oneof![
        8 => (0..2_usize, 0..8_u8, behavior)
            .prop_map(|(user, key, behavior)| Step::Pay { user, key, behavior }),
        2 => (0..2_usize, 0..8_u8, any::<bool>())
            .prop_map(|(user, key, happened)| Step::Resolve { user, key, happened }),
        1 => Just(Step::Pass),
    ]
}

/// Returns the cents of a key.
fn cents(key: u8) -> u64 {
    700 + 311 * u64::from(key)
}

/// The reference: what a call has used of its day, and whether it is known.
#[derive(Debug, Default)]
struct Reference {
    /// The day, and the used amount of each call that holds or has spent one, by user and key.
    calls: BTreeMap<(usize, u8), (u8, u64, Known)>,
    day: u8,
    hours: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Answered,
    Unknown,
}

impl Reference {
    fn used(&self, user: usize, day: u8) -> u64 {
        let calls = self.calls.iter().filter(|((of, _), (on, ..))| (*of, *on) == (user, day));
        calls.map(|(_, (_, used, _))| used).sum()
    }

    fn total(&self) -> u64 {
        self.calls.values().map(|(_, used, _)| used).sum()
    }

    /// Returns the expected answer of a payment: `paid`, or the reason why it is none.
    fn pay(&mut self, user: usize, key: u8, behavior: Behavior) -> &'static str {
        match self.calls.get(&(user, key)) {
            Some((_, _, Known::Unknown)) => return "outcome_unknown",
            Some((_, amount, Known::Answered)) => {
                return if *amount == 0 { "sold out" } else { "paid" };
            }
            None => {}
        }
        let amount = cents(key);
        if self.used(user, self.day) + amount > LIMITS.0 || self.total() + amount > LIMITS.1 {
            return "budget_exceeded";
        }
        let (taken, known, answer) = match behavior {
            Behavior::Sells | Behavior::BusyOnce => (amount, Known::Answered, "paid"),
            Behavior::SoldOut => (0, Known::Answered, "sold out"),
            Behavior::Silent => (amount, Known::Unknown, "unknown"),
            Behavior::Charges(other) => (other, Known::Answered, "paid"),
        };
        self.calls.insert((user, key), (self.day, taken, known));
        answer
    }

    fn resolve(&mut self, user: usize, key: u8, happened: bool) -> bool {
        match self.calls.get_mut(&(user, key)) {
            Some((_, _, known)) if *known == Known::Unknown && happened => *known = Known::Answered,
            Some((_, _, Known::Unknown)) => drop(self.calls.remove(&(user, key))),
            Some(_) | None => return false,
        }
        true
    }

    /// The first hour leads over midnight in Berlin; no answer is forgotten.
    fn pass(&mut self) -> bool {
        if self.hours == 12 {
            return false;
        }
        self.hours += 1;
        self.day = 1;
        true
    }
}

fn budgets() -> Policy {
    let daily = Budget::new("daily").per_day("50 EUR").scope(BudgetScope::User);
    Policy::new()
        .budget(daily.time_zone("Europe/Berlin"))
        .budget(Budget::new("all").lifetime("120 EUR"))
}

fn answer(output: &ToolOutput) -> String {
    match output.error() {
        None => "paid".to_owned(),
        Some(error) if error.code() == Some("OUT_OF_STOCK") => "sold out".to_owned(),
        Some(error) if error.code() == Some("TIMEOUT") => "unknown".to_owned(),
        Some(_) => reason(output),
    }
}

/// Runs the steps on a store, and compares each answer and each sum with the reference.
async fn compare(steps: &[Step], policy: Policy) {
    let (shop, mut reference) = (Shop::new(policy), Reference::default());
    for (index, step) in steps.iter().enumerate() {
        let place = || format!("step {index}: {step:?} of {steps:?}");
        match *step {
            Step::Pay { user, key, behavior } => {
                shop.seller.behaves(behavior);
                let cx = cx(USERS[user]).with_idempotency_key(key.to_string()).expect("a key");
                let amount = format!("{}.{:02}", cents(key) / 100, cents(key) % 100);
                let output = shop.call_as(&cx, "pay", &crate::shop::amount_json(&amount)).await;
                assert_eq!(answer(&output), reference.pay(user, key, behavior), "{}", place());
            }
            Step::Resolve { user, key, happened } => {
                let resolution = if happened {
                    Resolution::Happened { answer: r#""sold""#.to_owned() }
                } else {
                    Resolution::DidNotHappen
                };
                let outcomes = shop.runtime.outcomes();
                let unknown = outcomes.unknown(Uuid::nil(), None, 100).await.expect("a list");
                let (principal, key_name) = (format!("user:{}", USERS[user]), format!("key:{key}"));
                let record = unknown.iter().find(|record| {
                    *record.key.principal == *principal && *record.key.key == *key_name
                });
                assert_eq!(record.is_some(), reference.resolve(user, key, happened), "{}", place());
                if let Some(record) = record {
                    outcomes.resolve(record, resolution).await.expect("it is resolved");
                }
            }
            Step::Pass => {
                if reference.pass() {
                    shop.pass(HOUR);
                }
            }
        }
        let periods = shop.runtime.budgets().periods(Uuid::nil(), None, 100).await.expect("sums");
        let used = |budget: &str, scope: &str| -> u64 {
            let sums = periods.iter().filter(|it| *it.account.budget == *budget);
            let sums = sums.filter(|it| scope.is_empty() || *it.account.scope == *scope);
            sums.map(|it| (it.balance.spent + it.balance.reserved) / 10_000).sum()
        };
        assert_eq!(used("all", ""), reference.total(), "{}", place());
        for (user, name) in USERS.iter().enumerate() {
            let sum = reference.used(user, 0) + reference.used(user, 1);
            assert_eq!(used("daily", &format!("user:{name}")), sum, "{}", place());
        }
    }
}

fn check(cases: u32, policy: impl Fn() -> Policy) {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let executor = executor.expect("an executor");
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&vec(step(), 1..40), |steps| {
        executor.block_on(compare(&steps, policy()));
        Ok(())
    });
    run.expect("the reference agrees");
}

#[test]
fn random_calls_agree_with_the_reference_in_memory() {
    check(256, budgets);
}

#[test]
fn random_calls_agree_with_the_reference_in_a_file() {
    let folder = std::env::temp_dir().join(format!("budgets-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let next = std::cell::Cell::new(0);
    check(32, || {
        next.set(next.get() + 1);
        let store = SqliteStore::open(folder.join(format!("{}.db", next.get()))).expect("a store");
        budgets().store(store)
    });
    std::fs::remove_dir_all(&folder).expect("it is removed");
}
