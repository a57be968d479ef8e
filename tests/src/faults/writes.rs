//! The writes of one series: their store, their answers, and the final comparison with the log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::budgets::{self, Limits, PaidSeries, Payments};
use super::child::Report;
use super::counts::{FaultCounts, Outcome};
use super::log::{Downstream, Effect, EffectLog};
use super::process::Process;
use super::shop::WriteTool;
use super::{CampaignError, ChildTask, Program};

/// The number of final repeats of all keys.
const LAST_REPEATS: u32 = 3;

/// One store, one log, and the answers to the callers.
pub(super) struct Writes<'p> {
    program: &'p Program,
    pub(super) folder: Folder,
    tool: WriteTool,
    downstream: Downstream,
    lease: Duration,
    pub(super) limits: Limits,
    keys: BTreeSet<String>,
    /// Keys without an answer yet, oldest first.
    pub(super) open: Vec<String>,
    confirmed: BTreeMap<String, Effect>,
    last: BTreeMap<String, Report>,
    /// The number of answers to runs that another run had taken over.
    pub(super) lease_lost: u32,
}

impl<'p> Writes<'p> {
    pub(super) fn new(
        program: &'p Program,
        tool: WriteTool,
        downstream: Downstream,
        lease: Duration,
    ) -> Result<Self, CampaignError> {
        Ok(Self {
            program,
            folder: Folder::new()?,
            tool,
            downstream,
            lease,
            limits: Limits::SMALL,
            keys: BTreeSet::new(),
            open: Vec::new(),
            confirmed: BTreeMap::new(),
            last: BTreeMap::new(),
            lease_lost: 0,
        })
    }

    /// Makes a task that writes these keys, and remembers the keys.
    pub(super) fn task(&mut self, keys: Vec<String>) -> ChildTask {
        self.expect(&keys);
        let Self { tool, downstream, lease, limits, .. } = *self;
        ChildTask { tool, downstream, lease, limits, ..ChildTask::new(&self.folder.0, keys) }
    }

    /// Remembers keys that a child writes.
    pub(super) fn expect(&mut self, keys: &[String]) {
        self.keys.extend(keys.iter().cloned());
        for key in keys {
            if !self.confirmed.contains_key(key) && !self.open.contains(key) {
                self.open.push(key.clone());
            }
        }
    }

    pub(super) fn start(&self, task: &ChildTask) -> Result<Process, CampaignError> {
        Process::start(self.program, task)
    }

    /// Reads a line of a child.
    pub(super) fn read_line(&mut self, line: &str) {
        let Ok(report) = serde_json::from_str::<Report>(line) else { return };
        // A caller that was warned repeats the call, and may be told that its outcome is unknown.
        if let Some(effect) = report.effect.filter(|_| !report.is_warned) {
            self.open.retain(|key| *key != report.key);
            self.confirmed.entry(report.key.clone()).or_insert(effect);
        }
        self.lease_lost += u32::from(report.is_refused("lease_lost"));
        self.last.insert(report.key.clone(), report);
    }

    /// Repeats every key until it is answered, and compares the answers with the log.
    pub(super) fn finish(mut self, counts: &mut FaultCounts) -> Result<(), CampaignError> {
        for _ in 0..LAST_REPEATS {
            self.last.clear();
            let keys = self.keys.iter().cloned().collect();
            let task = ChildTask { patient: true, ..self.task(keys) };
            let status = self.start(&task)?.end(|line| self.read_line(line))?;
            if !status.success() {
                return Err(format!("the last child failed: {status}").into());
            }
        }
        self.count(counts)
    }

    /// Compares the last answers with the log, and the sums of budgets too if the tool pays.
    fn count(self, counts: &mut FaultCounts) -> Result<(), CampaignError> {
        let resolves = self.tool.resolves();
        if self.tool.pays() {
            self.count_payments(counts)?;
        }
        self.each_outcome(counts, |counts, outcome| counts.count(outcome, resolves))
    }

    /// Compares the sums of budgets, and the ledgers, with what was paid.
    fn count_payments(&self, counts: &mut FaultCounts) -> Result<(), CampaignError> {
        let log = EffectLog::open(&self.folder.0.join("effects.log"), Downstream::Naive)?;
        let effects = log.effects()?;
        let is_unknown = |key: &&String| {
            self.last.get(*key).is_some_and(|report| report.is_refused("outcome_unknown"))
        };
        let is_paid = |key: &&String| effects.contains_key(*key) && !is_unknown(key);
        let payments = Payments {
            paid: self.keys.iter().filter(is_paid).cloned().collect(),
            unknown: self.keys.iter().filter(is_unknown).cloned().collect(),
        };
        let Self { program, tool, limits, .. } = *self;
        budgets::check(
            PaidSeries { program, folder: &self.folder.0, tool, limits },
            &payments,
            counts,
        )
    }

    /// Compares the answers of a damaged store with the log.
    pub(super) fn count_after_damage(self, counts: &mut FaultCounts) -> Result<(), CampaignError> {
        self.each_outcome(counts, FaultCounts::count_damaged)
    }

    fn each_outcome(
        self,
        counts: &mut FaultCounts,
        count: impl Fn(&mut FaultCounts, Outcome<'_>),
    ) -> Result<(), CampaignError> {
        let log = EffectLog::open(&self.folder.0.join("effects.log"), Downstream::Naive)?;
        let effects = log.effects()?;
        counts.lease_lost += self.lease_lost;
        for key in &self.keys {
            let last = self.last.get(key);
            let outcome = Outcome {
                effects: effects.get(key).map_or(&[], Vec::as_slice),
                confirmed: self.confirmed.get(key).copied(),
                last: last.and_then(|report| report.effect),
                is_unknown: last.is_some_and(|report| report.is_refused("outcome_unknown")),
                is_over_budget: last.is_some_and(|report| report.is_refused("budget_exceeded")),
            };
            let broken = counts.broken();
            count(counts, outcome);
            if counts.broken() > broken {
                eprintln!(
                    "a broken promise: {key}: effects {:?}, last answer {last:?}",
                    effects.get(key)
                );
            }
        }
        Ok(())
    }
}

/// A folder that is removed when its series ends.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Result<Self, CampaignError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tool-faults-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Splits `total` faults into series of at most `length`, and runs the series on this many threads.
pub(super) fn run_in_series(
    at_once: u32,
    total: u32,
    length: u32,
    series: impl Fn(u32, u32) -> Result<FaultCounts, CampaignError> + Sync,
) -> Result<FaultCounts, CampaignError> {
    run_parallel(at_once, total.div_ceil(length), |number| {
        series(number, length.min(total - number * length))
    })
}

/// Runs `series` 0 to `count` on this many threads, and adds up their counts.
pub(super) fn run_parallel(
    at_once: u32,
    count: u32,
    series: impl Fn(u32) -> Result<FaultCounts, CampaignError> + Sync,
) -> Result<FaultCounts, CampaignError> {
    let lane = |lane: u32| -> Result<FaultCounts, CampaignError> {
        let mut all = FaultCounts::default();
        for number in (0..count).filter(|number| number % at_once == lane) {
            all.add(&series(number)?);
        }
        Ok(all)
    };
    let lane = &lane;
    let tallies = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..at_once).map(|number| scope.spawn(move || lane(number))).collect();
        let join =
            |lane: std::thread::ScopedJoinHandle<'_, _>| lane.join().map_err(|_| "it panicked");
        lanes.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let mut all = FaultCounts::default();
    for counts in tallies {
        all.add(&counts?);
    }
    Ok(all)
}
