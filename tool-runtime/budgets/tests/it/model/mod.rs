//! Random calls against a reference of a few lines: each answer and each sum is the same, in memory and in a file.

mod crashing;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any};
use proptest::prop_oneof;
use proptest::test_runner::TestRunner;
use tool_runtime::ToolOutput;
use tool_runtime::budgets::{Budget, BudgetScope, OverLimit, RuntimeBudgets as _};
use tool_runtime::policy::{ApprovalRequest, Decision, Policy, Resolution, approver_fn};
use tool_runtime::prelude::*;
use tool_runtime::store::{IdempotencyStore, MemoryStore, SqliteStore};

use self::crashing::CrashingStore;
use crate::shop::{Behavior, Shop, cx, reason};

const USERS: [&str; 2] = ["ann", "bob"];
/// Cents of each user on a day in Berlin: a person lets a call exceed them.
const DAILY: u64 = 5_000;
/// Cents of all users in the last three hours, and in all.
const ROLLING: u64 = 9_000;
const LIFETIME: u64 = 14_000;
/// Cents above which a person decides.
const ASK_ABOVE: u64 = 2_000;
const HOUR: Duration = Duration::from_secs(3_600);
/// The hours of the rolling window.
const WINDOW: u8 = 3;

/// A step of a host's day.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A user pays the amount of a key, and a person answers if asked.
    Pay { user: usize, key: u8, behavior: Behavior, verdict: Verdict },
    /// A user pays, and the process dies once the seller has the money: the key stays claimed.
    Crash { user: usize, key: u8 },
    /// A person resolves the outcome of a key.
    Resolve { user: usize, key: u8, happened: bool },
    /// Time passes; less than a day in all, after which answers are forgotten.
    Pass,
}

/// The answer of the person who decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Verdict {
    #[default]
    Approves,
    /// With the right to exceed budgets.
    Exceeds,
    Declines,
}

fn step() -> impl Strategy<Value = Step> {
    let behavior = prop_oneof![
        4 => Just(Behavior::Sells),
        1 => Just(Behavior::SoldOut),
        2 => Just(Behavior::Silent),
        1 => (1..4_000_u64).prop_map(Behavior::Charges),
    ];
    let verdict = prop_oneof![
        2 => Just(Verdict::Approves),
        2 => Just(Verdict::Exceeds),
        1 => Just(Verdict::Declines),
    ];
    prop_oneof![
        8 => (0..2_usize, 0..8_u8, behavior, verdict)
            .prop_map(|(user, key, behavior, verdict)| Step::Pay { user, key, behavior, verdict }),
        1 => (0..2_usize, 0..8_u8).prop_map(|(user, key)| Step::Crash { user, key }),
        2 => (0..2_usize, 0..8_u8, any::<bool>())
            .prop_map(|(user, key, happened)| Step::Resolve { user, key, happened }),
        2 => Just(Step::Pass),
    ]
}

/// Returns the cents of a key.
fn cents(key: u8) -> u64 {
    700 + 311 * u64::from(key)
}

/// A call that holds or has spent an amount.
#[derive(Debug, Clone, Copy)]
struct PaidCall {
    day: u8,
    hour: u8,
    used: u64,
    end: CallEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallEnd {
    Answered,
    Unknown,
    /// Its process has died.
    Abandoned,
}

/// The reference: the calls by user and key, and the time.
#[derive(Debug, Default)]
struct Reference {
    calls: BTreeMap<(usize, u8), PaidCall>,
    day: u8,
    hour: u8,
}

impl Reference {
    fn sum(&self, counts: impl Fn(usize, &PaidCall) -> bool) -> u64 {
        let calls = self.calls.iter().filter(|((user, _), call)| counts(*user, call));
        calls.map(|(_, call)| call.used).sum()
    }

    /// Returns the expected answer of a payment: `paid`, or the reason why it is none.
    fn pay(&mut self, user: usize, key: u8, behavior: Behavior, verdict: Verdict) -> &'static str {
        let hour = self.hour;
        if let Some(call) = self.calls.get_mut(&(user, key)) {
            return match call.end {
                CallEnd::Answered if call.used == 0 => "sold out",
                CallEnd::Answered => "paid",
                CallEnd::Abandoned if call.hour == hour => "in_flight",
                CallEnd::Unknown | CallEnd::Abandoned => {
                    // A takeover keeps the amount of its key, and knows no more than before.
                    call.end = CallEnd::Unknown;
                    "outcome_unknown"
                }
            };
        }
        if let Err(refused) = self.may_pay(user, cents(key), verdict) {
            return refused;
        }
        let (amount, end, answer) = match behavior {
            Behavior::Sells | Behavior::BusyOnce => (cents(key), CallEnd::Answered, "paid"),
            Behavior::SoldOut => (0, CallEnd::Answered, "sold out"),
            Behavior::Silent => (cents(key), CallEnd::Unknown, "unknown"),
            Behavior::Charges(other) => (other, CallEnd::Answered, "paid"),
        };
        self.calls.insert((user, key), PaidCall { day: self.day, hour, used: amount, end });
        answer
    }

    fn may_pay(&self, user: usize, amount: u64, verdict: Verdict) -> Result<(), &'static str> {
        let rolling = self.sum(|_, call| self.hour - call.hour <= WINDOW);
        if rolling + amount > ROLLING || self.sum(|_, _| true) + amount > LIFETIME {
            return Err("budget_exceeded");
        }
        let today = self.sum(|of, call| (of, call.day) == (user, self.day));
        let exceeds_day = today + amount > DAILY;
        match verdict {
            Verdict::Declines if exceeds_day || amount > ASK_ABOVE => Err("declined"),
            Verdict::Approves | Verdict::Declines if exceeds_day => Err("budget_exceeded"),
            Verdict::Approves | Verdict::Declines | Verdict::Exceeds => Ok(()),
        }
    }

    /// Returns whether the process could pay before it died.
    fn crash(&mut self, user: usize, key: u8) -> bool {
        let pays = !self.calls.contains_key(&(user, key))
            && self.may_pay(user, cents(key), Verdict::Exceeds).is_ok();
        if pays {
            let Self { day, hour, .. } = *self;
            let call = PaidCall { day, hour, used: cents(key), end: CallEnd::Abandoned };
            self.calls.insert((user, key), call);
        }
        pays
    }

    fn resolve(&mut self, user: usize, key: u8, happened: bool) -> bool {
        match self.calls.get_mut(&(user, key)) {
            Some(call) if call.end == CallEnd::Unknown && happened => call.end = CallEnd::Answered,
            Some(PaidCall { end: CallEnd::Unknown, .. }) => {
                self.calls.remove(&(user, key));
            }
            Some(_) | None => return false,
        }
        true
    }

    /// The first hour leads over midnight in Berlin; no answer is forgotten.
    fn pass(&mut self) -> bool {
        if self.hour == 12 {
            return false;
        }
        self.hour += 1;
        self.day = 1;
        true
    }
}

/// A host whose processes may die, with the person who decides.
struct Host {
    shop: Shop,
    store: CrashingStore,
    verdict: Arc<Mutex<Verdict>>,
}

impl Host {
    fn new(store: impl IdempotencyStore) -> Self {
        let verdict = Arc::<Mutex<Verdict>>::default();
        let (store, person) = (CrashingStore::new(store), verdict.clone());
        let daily = Budget::new("daily").per_day("50 EUR").scope(BudgetScope::User);
        let daily = daily.ask_above("20 EUR").over(OverLimit::Ask).time_zone("Europe/Berlin");
        let total =
            Budget::new("all").lifetime("140 EUR").rolling(HOUR * u32::from(WINDOW), "90 EUR");
        let policy = Policy::new().budget(daily).budget(total).idempotency_store(store.clone());
        let policy = policy.approver(approver_fn(move |_: &ApprovalRequest<'_>| {
            let decision = match *person.lock().expect("a verdict") {
                Verdict::Approves => Decision::approve("boss"),
                Verdict::Exceeds => Decision::approve("boss").exceeding_budgets(),
                Verdict::Declines => Decision::decline("boss", "not now"),
            };
            async move { decision }
        }));
        Self { shop: Shop::new(policy), store, verdict }
    }

    fn call(&self, user: usize, key: u8) -> tool_runtime::ToolCall {
        let cx = cx(USERS[user]).with_idempotency_key(key.to_string()).expect("a key");
        let amount = format!("{}.{:02}", cents(key) / 100, cents(key) % 100);
        self.shop.runtime.call("pay", crate::shop::amount_json(&amount), &cx)
    }

    async fn pay(&self, user: usize, key: u8, behavior: Behavior, verdict: Verdict) -> String {
        self.shop.seller.behaves(behavior);
        *self.verdict.lock().expect("a verdict") = verdict;
        answer(self.call(user, key).execute().await)
    }

    /// Pays in a process that dies before the answer is stored; an answer that needs no payment is not waited for.
    async fn crash(&self, user: usize, key: u8) {
        self.shop.seller.behaves(Behavior::Sells);
        *self.verdict.lock().expect("a verdict") = Verdict::Exceeds;
        self.store.crash_in(self.call(user, key).execute()).await;
    }

    async fn resolve(&self, user: usize, key: u8, happened: bool) -> bool {
        let resolution = if happened {
            Resolution::Happened { answer: r#""sold""#.to_owned() }
        } else {
            Resolution::DidNotHappen
        };
        let outcomes = self.shop.runtime.outcomes();
        let unknown = outcomes.unknown(Uuid::nil(), None, 100).await.expect("a list");
        let (principal, key_name) = (format!("user:{}", USERS[user]), format!("key:{key}"));
        let record = unknown
            .iter()
            .find(|record| *record.key.principal == *principal && *record.key.key == *key_name);
        let Some(record) = record else { return false };
        outcomes.resolve(record, resolution).await.expect("it is resolved");
        true
    }

    /// Checks each sum against the reference.
    async fn check_sums(&self, reference: &Reference, place: &str) {
        let periods = self.shop.runtime.budgets().periods(Uuid::nil(), None, 1_000).await;
        let periods = periods.expect("sums");
        let used = |budget: &str, limit: &str, scope: &str| -> u64 {
            let sums = periods.iter().map(|it| (&it.account, &it.balance));
            let sums = sums.filter(|(it, _)| *it.budget == *budget && it.limit.starts_with(limit));
            let sums = sums.filter(|(it, _)| *it.scope == *scope);
            sums.map(|(_, balance)| (balance.spent + balance.reserved) / 10_000).sum()
        };
        for limit in ["lifetime", "rolling"] {
            assert_eq!(used("all", limit, "tenant"), reference.sum(|_, _| true), "{place}");
        }
        for (user, name) in USERS.iter().enumerate() {
            let sum = reference.sum(|of, _| of == user);
            assert_eq!(used("daily", "day", &format!("user:{name}")), sum, "{place}");
        }
    }
}

fn answer(output: &ToolOutput) -> String {
    match output.error() {
        None => "paid".to_owned(),
        Some(error) if error.code() == Some("OUT_OF_STOCK") => "sold out".to_owned(),
        Some(error) if error.code() == Some("TIMEOUT") => "unknown".to_owned(),
        Some(error) if error.code() == Some("DECLINED") => "declined".to_owned(),
        Some(_) => reason(output),
    }
}

/// Runs the steps on a store, and compares each answer and each sum with the reference.
async fn compare(steps: &[Step], store: impl IdempotencyStore) {
    let (host, mut reference) = (Host::new(store), Reference::default());
    for (index, step) in steps.iter().enumerate() {
        let place = format!("step {index}: {step:?} of {steps:?}");
        match *step {
            Step::Pay { user, key, behavior, verdict } => {
                // A person is asked about a repeat of an unfinished call too, and is not the subject here.
                let is_new = !reference.calls.contains_key(&(user, key));
                let verdict = if is_new { verdict } else { Verdict::Approves };
                let expected = reference.pay(user, key, behavior, verdict);
                assert_eq!(host.pay(user, key, behavior, verdict).await, expected, "{place}");
            }
            Step::Crash { user, key } => {
                if reference.crash(user, key) {
                    host.crash(user, key).await;
                }
            }
            Step::Resolve { user, key, happened } => {
                let expected = reference.resolve(user, key, happened);
                assert_eq!(host.resolve(user, key, happened).await, expected, "{place}");
            }
            Step::Pass => {
                if reference.pass() {
                    host.shop.pass(HOUR);
                }
            }
        }
        host.check_sums(&reference, &place).await;
    }
}

fn check<S: IdempotencyStore>(cases: u32, store: impl Fn() -> S) {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let executor = executor.expect("an executor");
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&vec(step(), 1..40), |steps| {
        executor.block_on(compare(&steps, store()));
        Ok(())
    });
    run.expect("the reference agrees");
}

#[test]
fn random_calls_agree_with_the_reference_in_memory() {
    check(256, MemoryStore::new);
}

#[test]
fn random_calls_agree_with_the_reference_in_a_file() {
    let folder = std::env::temp_dir().join(format!("budgets-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let next = std::cell::Cell::new(0);
    check(32, || {
        next.set(next.get() + 1);
        SqliteStore::open(folder.join(format!("{}.db", next.get()))).expect("a store")
    });
    std::fs::remove_dir_all(&folder).expect("it is removed");
}
