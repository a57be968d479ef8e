//! The writes of one series: their store, their answers, and the final comparison with the log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::child::Report;
use super::log::{Downstream, Effect, EffectLog};
use super::process::Process;
use super::shop::WriteTool;
use super::tally::{Outcome, Tally};
use super::{CampaignError, Orders, Program};

/// The number of final repeats of all keys.
const LAST_REPEATS: u32 = 3;

/// One store, one log, and the answers to the callers.
pub(super) struct Writes<'p> {
    program: &'p Program,
    pub(super) folder: Folder,
    tool: WriteTool,
    downstream: Downstream,
    lease: Duration,
    keys: BTreeSet<String>,
    /// Keys without an answer yet, oldest first.
    pub(super) open: Vec<String>,
    confirmed: BTreeMap<String, Effect>,
    last: BTreeMap<String, Report>,
    /// The number of answers to runs that another run had taken over.
    pub(super) superseded: u32,
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
            keys: BTreeSet::new(),
            open: Vec::new(),
            confirmed: BTreeMap::new(),
            last: BTreeMap::new(),
            superseded: 0,
        })
    }

    /// Makes orders to write under these keys, and remembers the keys.
    pub(super) fn orders(&mut self, keys: Vec<String>) -> Orders {
        self.expect(&keys);
        let Self { tool, downstream, lease, .. } = *self;
        Orders { tool, downstream, lease, ..Orders::new(&self.folder.0, keys) }
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

    pub(super) fn start(&self, orders: &Orders) -> Result<Process, CampaignError> {
        Process::start(self.program, orders)
    }

    /// Takes a line of a child.
    pub(super) fn hear(&mut self, line: &str) {
        let Ok(report) = serde_json::from_str::<Report>(line) else { return };
        if let Some(effect) = report.effect {
            self.open.retain(|key| *key != report.key);
            self.confirmed.entry(report.key.clone()).or_insert(effect);
        }
        self.superseded += u32::from(report.is_refused("superseded"));
        self.last.insert(report.key.clone(), report);
    }

    /// Repeats every key until it is answered, and compares the answers with the log.
    pub(super) fn judge(mut self, tally: &mut Tally) -> Result<(), CampaignError> {
        for _ in 0..LAST_REPEATS {
            self.last.clear();
            let keys = self.keys.iter().cloned().collect();
            let orders = Orders { patient: true, ..self.orders(keys) };
            let status = self.start(&orders)?.end(|line| self.hear(line))?;
            if !status.success() {
                return Err(format!("the last child failed: {status}").into());
            }
        }
        self.count(tally)
    }

    /// Compares the last answers with the log.
    fn count(self, tally: &mut Tally) -> Result<(), CampaignError> {
        let resolves = self.tool.resolves();
        self.each_outcome(tally, |tally, outcome| tally.count(outcome, resolves))
    }

    /// Compares the answers of a damaged store with the log.
    pub(super) fn count_after_damage(self, tally: &mut Tally) -> Result<(), CampaignError> {
        self.each_outcome(tally, Tally::count_damaged)
    }

    fn each_outcome(
        self,
        tally: &mut Tally,
        count: impl Fn(&mut Tally, Outcome<'_>),
    ) -> Result<(), CampaignError> {
        let log = EffectLog::open(&self.folder.0.join("effects.log"), Downstream::Naive)?;
        let effects = log.effects()?;
        tally.superseded += self.superseded;
        for key in &self.keys {
            let last = self.last.get(key);
            let outcome = Outcome {
                effects: effects.get(key).map_or(&[], Vec::as_slice),
                confirmed: self.confirmed.get(key).copied(),
                last: last.and_then(|report| report.effect),
                is_unknown: last.is_some_and(|report| report.is_refused("outcome_unknown")),
            };
            count(tally, outcome);
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

/// Runs `series` 0 to `count` on this many threads, and adds up what they counted.
pub(super) fn side_by_side(
    at_once: u32,
    count: u32,
    series: impl Fn(u32) -> Result<Tally, CampaignError> + Sync,
) -> Result<Tally, CampaignError> {
    let lane = |lane: u32| -> Result<Tally, CampaignError> {
        let mut all = Tally::default();
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
    let mut all = Tally::default();
    for tally in tallies {
        all.add(&tally?);
    }
    Ok(all)
}
