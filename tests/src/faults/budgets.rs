//! Payments under budgets while processes are killed, suspended, and their clocks are set.
//!
//! Sixteen callers in each of four processes pay under three budgets on one store, against the log of what was really
//! paid. At the end, each sum of the budgets has to be that of the log, no limit may be exceeded, and the ledgers of all
//! processes together have to say of each payment what was paid.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::policy::Resolution;
use tool_runtime::prelude::*;
use tool_runtime::store::{BudgetAccount, BudgetPeriod, BudgetUnit, IdempotencyStore};

use super::child::open_store_in;
use super::counts::FaultCounts;
use super::log::{Downstream, Effect, EffectLog};
use super::point::{ArmedTrap, Point, Trap, TrapKind};
use super::process::was_killed;
use super::shop::{self, WriteTool};
use super::writes::{Writes, run_parallel};
use super::{CampaignError, ChildTask, LEASE, Program, ledgers};
use crate::rng::SeededRng;

/// The processes that pay at the same time.
const PROCESSES: u32 = 4;
/// The concurrent callers of each process.
const CALLERS: u32 = 16;
/// The callers of a process that repeat earlier payments, so that processes take keys over from each other.
const REPEATS: usize = 4;
/// The number of kills before the sums are compared with the log.
const SERIES: u32 = 24;
/// The rounds without a kill after which a series ends, since its budgets are used up.
const IDLE_ROUNDS: u32 = 4;
/// The lease of a key on a server, where the callers of an account wait for each other's commits.
const SERVER_LEASE: Duration = Duration::from_secs(2);
/// The longest delay of a kill during a commit, in microseconds.
const COMMIT_US: u64 = 2_500;

/// The length of the rolling window.
const HOUR: Duration = Duration::from_secs(3_600);

/// The users who pay.
const USERS: [&str; 4] = ["ann", "ann", "bob", "cem"];

/// The limits of a series, in cents and in calls: low enough that its payments reach each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The lifetime budget of the tenant.
    household: u64,
    /// The calls of the tenant.
    calls: u64,
    /// The daily budget of a user.
    person: u64,
    /// The hourly budget of a tool.
    tool: u64,
}

impl Limits {
    /// The limits of a series of hundreds of payments.
    const LARGE: Self = Self { household: 40_000, calls: 300, person: 12_000, tool: 36_000 };
    /// The limits of a series of about a dozen.
    pub(super) const SMALL: Self = Self { household: 2_400, calls: 10, person: 300, tool: 1_600 };

    /// Returns the budgets of three scopes under which the tools pay.
    pub(super) fn budgets(self) -> [Budget; 3] {
        let euros = |cents| format!("{} EUR", decimal(cents));
        [
            Budget::new("household")
                .lifetime(&euros(self.household))
                .lifetime(&format!("{} calls", self.calls))
                .tools(["pay", "pay_blindly"]),
            Budget::new("person")
                .per_day(&euros(self.person))
                .scope(BudgetScope::User)
                .time_zone("Europe/Berlin"),
            Budget::new("tool").rolling(HOUR, &euros(self.tool)).scope(BudgetScope::Tool),
        ]
    }

    /// Returns the limit of a sum, in its unit's parts.
    fn account_limit(self, account: &BudgetAccount) -> u64 {
        let cents = match (&*account.budget, account.unit) {
            ("household", BudgetUnit::Calls) => return self.calls,
            ("household", BudgetUnit::Money(_)) => self.household,
            ("person", _) => self.person,
            _ => self.tool,
        };
        cents * CENT
    }
}

/// The millionths of a cent.
const CENT: u64 = 10_000;

/// Writes cents as euros.
fn decimal(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The payment of a key: the same in each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Payment {
    pub(super) user: &'static str,
    cents: u32,
}

impl Payment {
    pub(super) fn under(key: &str) -> Self {
        let seed = key.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        let mut rng = SeededRng::new(seed);
        let user = USERS[rng.index(USERS.len())];
        Self { user, cents: u32::try_from(1 + rng.below(400)).unwrap_or(1) }
    }

    pub(super) fn arguments(self) -> String {
        format!(r#"{{"cents":{}}}"#, self.cents)
    }

    pub(super) fn cents(self) -> u64 {
        u64::from(self.cents)
    }

    /// Returns the amount as a ledger has it.
    pub(super) fn amount(self) -> String {
        decimal(self.cents())
    }

    /// Returns whether the seller is busy at the first attempt of each process.
    pub(super) fn meets_a_busy_seller(self) -> bool {
        self.cents % 3 == 0
    }
}

/// Returns offsets of the wall clock that lead to both sides of midnights in Berlin, and of the nights in which an hour
/// is skipped or repeated.
#[must_use]
pub fn clock_offsets() -> Vec<i64> {
    // 2027-03-28 and 2027-10-31, 01:00 UTC.
    const SKIPPED: i64 = 1_806_195_600;
    const REPEATED: i64 = 1_824_944_400;
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since_epoch.as_secs()).unwrap_or_default();
    let midnights =
        [SKIPPED - 2 * 3_600, SKIPPED + 21 * 3_600, REPEATED - 3 * 3_600, REPEATED + 22 * 3_600];
    let places = midnights.into_iter().chain([SKIPPED, REPEATED]);
    places.flat_map(|place| [place - now - 2, place - now + 2]).collect()
}

/// Kills this many paying processes, four at a time.
///
/// # Errors
/// A process cannot be started, or a child fails by itself.
pub fn kill(program: &Program, kills: u32, at_once: u32) -> Result<FaultCounts, CampaignError> {
    let (killed, next) = (AtomicU32::new(0), AtomicU32::new(0));
    run_parallel(at_once, at_once, |_| {
        let mut counts = FaultCounts::default();
        while killed.load(Ordering::Relaxed) < kills {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let series = Series::new(program, number)?.run()?;
            killed.fetch_add(series.kills().max(1), Ordering::Relaxed);
            counts.add(&series);
        }
        Ok(counts)
    })
}

/// One store with its log and its paying processes.
struct Series<'p> {
    writes: Writes<'p>,
    rng: SeededRng,
    counts: FaultCounts,
}

impl<'p> Series<'p> {
    fn new(program: &'p Program, number: u32) -> Result<Self, CampaignError> {
        let lease = if program.postgres().is_some() { SERVER_LEASE } else { LEASE };
        let mut writes = Writes::new(program, WriteTool::Paying, Downstream::Fences, lease)?;
        writes.limits = Limits::LARGE;
        let rng = SeededRng::new(u64::from(number) + 1);
        Ok(Self { writes, rng, counts: FaultCounts::default() })
    }

    fn run(mut self) -> Result<FaultCounts, CampaignError> {
        let (mut round, mut idle) = (0, 0);
        while self.counts.kills() < SERIES && idle < IDLE_ROUNDS {
            let before = self.counts.kills();
            self.round(round)?;
            idle = if self.counts.kills() > before { 0 } else { idle + 1 };
            round += 1;
        }
        self.writes.finish(&mut self.counts)?;
        Ok(self.counts)
    }

    /// Starts four processes, each of which is killed if it reaches its point.
    fn round(&mut self, round: u32) -> Result<(), CampaignError> {
        let mut processes = Vec::new();
        for number in 0..PROCESSES {
            let task = self.task(round, number);
            let point = task.trap.map(|trap| trap.point);
            processes.push((point, self.writes.start(&task)?));
        }
        for (point, mut process) in processes {
            let status = process.end(|line| self.writes.read_line(line))?;
            match point {
                Some(point) if was_killed(status) => {
                    *self.counts.killed.entry(point).or_default() += 1;
                }
                _ if status.success() => {}
                _ => return Err(format!("a child: {status}").into()),
            }
        }
        Ok(())
    }

    fn task(&mut self, round: u32, number: u32) -> ChildTask {
        let open = self.writes.open.len().min(2 * REPEATS);
        let repeats: Vec<_> = (0..REPEATS.min(open)).map(|_| self.rng.index(open)).collect();
        let repeats = repeats.into_iter().map(|index| self.writes.open[index].clone());
        let repeats: Vec<_> = repeats.collect();
        let new = CALLERS - u32::try_from(repeats.len()).unwrap_or_default();
        let keys = (0..new).map(|key| format!("{round}-{number}-{key}")).chain(repeats).collect();
        let points = Point::ALL.into_iter().filter(|point| *point != Point::AnyTime);
        let killed = |point: &Point| self.counts.killed.get(point).copied().unwrap_or_default();
        let mut points: Vec<_> = points.collect();
        points.sort_by_key(killed);
        let point = points[self.rng.index(4)];
        let write = u32::try_from(1 + self.rng.below(8)).unwrap_or(1);
        let is_commit = matches!(point, Point::Claiming | Point::Committing);
        let delay_us = if is_commit { self.rng.below(COMMIT_US) } else { 0 };
        let write = if point.needs_an_earlier_run() { 1 } else { write };
        let trap = Some(Trap { kind: TrapKind::Kill, point, write, delay_us });
        // Each second process waits for the others, and takes their keys over.
        ChildTask { trap, patient: number % 2 == 1, ..self.writes.task(keys) }
    }
}

/// The payments of the log, and the keys with an unknown outcome.
#[derive(Debug, Default)]
pub(super) struct Payments {
    /// The keys of all payments in the log.
    pub(super) paid: Vec<String>,
    /// The keys with an unknown outcome; their effects are not in `paid`.
    pub(super) unknown: Vec<String>,
}

/// A series whose payments are compared with its budgets.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaidSeries<'s> {
    pub(super) program: &'s Program,
    pub(super) folder: &'s Path,
    pub(super) tool: WriteTool,
    pub(super) limits: Limits,
}

/// Compares the sums of a series' budgets with what was paid; then resolves all unknown outcomes by the log, and
/// compares again.
pub(super) fn check(
    series: PaidSeries<'_>,
    payments: &Payments,
    counts: &mut FaultCounts,
) -> Result<(), CampaignError> {
    let folder = series.folder;
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    executor.block_on(async {
        let recorded = ledgers::payments(folder).await?;
        counts.count_records(&payments.paid, &recorded);
        let store = open_store_in(folder, series.program.postgres(), LEASE).await?;
        compare(&*store, series, payments, counts).await?;
        if payments.unknown.is_empty() {
            return Ok(());
        }
        let log = EffectLog::open(&folder.join("effects.log"), Downstream::Naive)?;
        let effects = log.effects()?;
        resolve(store.clone(), series, log, &effects).await?;
        let happened = payments.unknown.iter().filter(|key| effects.contains_key(*key)).cloned();
        let paid = payments.paid.iter().cloned().chain(happened).collect();
        compare(&*store, series, &Payments { paid, unknown: Vec::new() }, counts).await
    })
}

/// Resolves each unknown outcome as the log has it.
async fn resolve(
    store: Arc<dyn IdempotencyStore>,
    series: PaidSeries<'_>,
    log: EffectLog,
    effects: &BTreeMap<String, Vec<Effect>>,
) -> Result<(), CampaignError> {
    let trap = Arc::new(ArmedTrap::new(None, series.folder));
    let runtime = shop::open(log, store, &trap, LEASE, series.limits)?.build()?;
    let outcomes = runtime.outcomes();
    for record in outcomes.unknown(Uuid::nil(), None, 10_000).await? {
        let key = record.key.key.strip_prefix("key:").unwrap_or_default();
        let resolution = match effects.get(key).and_then(|effects| effects.first()) {
            Some(effect) => Resolution::Happened { answer: serde_json::to_string(effect)? },
            None => Resolution::DidNotHappen,
        };
        outcomes.resolve(&record, resolution).await?;
    }
    Ok(())
}

/// Compares each sum with the payments that belong to it.
async fn compare(
    store: &dyn IdempotencyStore,
    PaidSeries { tool, limits, .. }: PaidSeries<'_>,
    payments: &Payments,
    counts: &mut FaultCounts,
) -> Result<(), CampaignError> {
    let budgets = store.budgets().ok_or("the store has no budgets")?;
    let mut periods: Vec<BudgetPeriod> = Vec::new();
    loop {
        let after = periods.last().map(BudgetPeriod::position);
        let page = budgets.list_periods(Uuid::nil(), after, 1_000).await?;
        if page.is_empty() {
            break;
        }
        periods.extend(page);
    }
    let broken = |what: &str, count: &mut u32, is_broken: bool, facts: &dyn std::fmt::Debug| {
        if is_broken {
            *count += 1;
            eprintln!("a broken promise: {what}: {facts:?}");
        }
    };
    for period in &periods {
        let is_over = used(period) > limits.account_limit(&period.account);
        broken("a limit is exceeded", &mut counts.overspent, is_over, period);
    }
    let rolling: Vec<_> =
        periods.iter().filter(|it| it.account.limit.starts_with("rolling")).collect();
    for first in &rolling {
        let within = |it: &&&BudgetPeriod| {
            it.account == first.account
                && it.start >= first.start
                && it.start < first.start.after(HOUR)
        };
        let sum: u64 = rolling.iter().filter(within).map(|period| used(period)).sum();
        let is_over = sum > limits.account_limit(&first.account);
        broken("a rolling limit is exceeded", &mut counts.overspent, is_over, first);
    }
    let mut scopes = vec![("household", "tenant".to_owned(), BudgetUnit::Calls)];
    for (budget, scope) in
        [("household", "tenant".to_owned()), ("tool", format!("tool:{}", tool.name()))]
    {
        scopes.push((budget, scope, euro()));
    }
    scopes.extend(["ann", "bob", "cem"].map(|user| ("person", format!("user:{user}"), euro())));
    for (budget, scope, unit) in scopes {
        let sums = periods.iter().filter(|it| {
            *it.account.budget == *budget && *it.account.scope == *scope && it.account.unit == unit
        });
        let (spent, reserved) = sums.fold((0, 0), |(spent, reserved), period| {
            (spent + period.balance.spent, reserved + period.balance.reserved)
        });
        let amount = |key: &String| match unit {
            BudgetUnit::Calls => 1,
            BudgetUnit::Money(_) => Payment::under(key).cents() * CENT,
        };
        let belongs = |key: &&String| {
            budget != "person" || scope == format!("user:{}", Payment::under(key).user)
        };
        let total = |keys: &[String]| -> u64 { keys.iter().filter(belongs).map(amount).sum() };
        let (paid, held) = (total(&payments.paid), total(&payments.unknown));
        let facts = (budget, &scope, spent, paid, reserved, held);
        broken("more was paid than the budget has spent", &mut counts.lost, spent < paid, &facts);
        broken("the budget has spent more than was paid", &mut counts.double, spent > paid, &facts);
        broken("an amount stays reserved", &mut counts.stuck, reserved > held, &facts);
        broken("an unknown outcome holds no amount", &mut counts.lost, reserved < held, &facts);
    }
    Ok(())
}

fn used(period: &BudgetPeriod) -> u64 {
    period.balance.spent + period.balance.reserved
}

fn euro() -> BudgetUnit {
    "EUR/2".parse().expect("a unit")
}
