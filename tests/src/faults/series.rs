//! The parent's part: it kills one child after the other, and holds the end against the log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};
use std::{error, fs};

use super::child::Report;
use super::log::{Effect, EffectLog};
use super::point::{Point, Trap, TrapKind};
use super::tally::{Outcome, Tally};
use super::{Orders, Program};

type Error = Box<dyn error::Error + Send + Sync>;

/// How many new keys a child writes under.
const KEYS: u32 = 4;
/// How many keys of dead children it repeats, where it has to.
const REPEATED: usize = 8;
/// How long after it is ready a child is killed that may be killed at any time, at most.
const ANY_TIME_US: u64 = 12_000;
/// How far into a commit a child is killed, at most.
const COMMIT_US: u64 = 2_500;
/// How many processes are killed before the log is held against the answers.
const SERIES: u32 = 100;
/// How often all that is left is repeated in the end.
const LAST_REPEATS: u32 = 3;

/// How many processes are killed, and what their tools can do.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How many processes are killed.
    pub runs: u32,
    /// Whether their tool can find out what became of an earlier run.
    pub reconciles: bool,
    /// Whether every third process has another beside it, on the same keys.
    pub rivals: bool,
    /// How many series go on at once.
    pub at_once: u32,
}

/// Kills so many processes, in series that each start with an empty store.
///
/// # Errors
/// A process cannot be started, or fails by itself.
pub fn run(program: &Program, plan: Plan) -> Result<Tally, Error> {
    let lane = |lane| move || run_lane(program, plan, lane);
    let tallies = thread::scope(|scope| {
        let lanes: Vec<_> = (0..plan.at_once).map(|number| scope.spawn(lane(number))).collect();
        let join = |lane: thread::ScopedJoinHandle<'_, _>| lane.join().map_err(|_| "it panicked");
        lanes.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let mut all = Tally::default();
    for tally in tallies {
        all.add(&tally?);
    }
    Ok(all)
}

/// Runs every series of a lane, one after the other.
fn run_lane(program: &Program, plan: Plan, lane: u32) -> Result<Tally, Error> {
    let mut all = Tally::default();
    let series = (0..plan.runs.div_ceil(SERIES)).filter(|number| number % plan.at_once == lane);
    for number in series {
        let runs = SERIES.min(plan.runs - number * SERIES);
        all.add(&Series::new(program, plan, number)?.run(runs)?);
    }
    Ok(all)
}

/// One store, one log, and the processes on them.
struct Series<'p> {
    program: &'p Program,
    plan: Plan,
    folder: Folder,
    dice: Dice,
    tally: Tally,
    keys: BTreeSet<String>,
    /// Keys that were not answered yet, oldest first.
    open: Vec<String>,
    confirmed: BTreeMap<String, Effect>,
    last: BTreeMap<String, Report>,
}

/// A child, and its reports.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl<'p> Series<'p> {
    fn new(program: &'p Program, plan: Plan, number: u32) -> Result<Self, Error> {
        Ok(Self {
            program,
            plan,
            folder: Folder::new()?,
            dice: Dice(u64::from(number) + 1),
            tally: Tally::default(),
            keys: BTreeSet::new(),
            open: Vec::new(),
            confirmed: BTreeMap::new(),
            last: BTreeMap::new(),
        })
    }

    fn run(mut self, runs: u32) -> Result<Tally, Error> {
        let mut round = 0;
        while self.tally.runs() < runs {
            let point = self.rarest();
            if point.needs_an_earlier_run() && self.open.is_empty() {
                // One that leaves something behind, and does not count.
                self.round(Point::AfterEffect, round)?;
            } else if self.round(point, round)? {
                *self.tally.killed.entry(point).or_default() += 1;
            }
            round += 1;
        }
        self.repeat_all()?;
        self.judge()
    }

    /// The point that the fewest were killed at.
    fn rarest(&self) -> Point {
        let comes_there = |point: &Point| self.plan.reconciles || !point.needs_an_earlier_run();
        let killed = |point: &Point| self.tally.killed.get(point).copied().unwrap_or_default();
        let points = Point::ALL.into_iter().filter(comes_there);
        points.min_by_key(killed).unwrap_or(Point::AnyTime)
    }

    /// Starts a child, and tells whether it was killed.
    fn round(&mut self, point: Point, round: u32) -> Result<bool, Error> {
        let orders = self.orders(point, round);
        let child = self.start(&orders)?;
        let rival = self.plan.rivals && round % 3 == 0;
        let rival =
            rival.then(|| self.start(&Orders { trap: None, ..orders.clone() })).transpose()?;
        let limit = Duration::from_micros(self.dice.below(ANY_TIME_US));
        let limit = (point == Point::AnyTime).then_some(limit);
        let status = self.watch(child, limit)?;
        if let Some(rival) = rival {
            self.watch(rival, None)?;
        }
        let killed = was_killed(status);
        if killed || status.success() {
            Ok(killed)
        } else {
            Err(format!("a child: {status}").into())
        }
    }

    fn orders(&mut self, point: Point, round: u32) -> Orders {
        let takes_over = point.needs_an_earlier_run();
        let keys: Vec<_> = if takes_over {
            self.open.iter().take(REPEATED).cloned().collect()
        } else {
            let repeated = self.open.first().cloned();
            (0..KEYS).map(|key| format!("{round}-{key}")).chain(repeated).collect()
        };
        self.keys.extend(keys.iter().cloned());
        for key in &keys {
            if !self.open.contains(key) {
                self.open.push(key.clone());
            }
        }
        let most = if takes_over { 2 } else { u64::from(KEYS) };
        let write = u32::try_from(1 + self.dice.below(most)).unwrap_or(1);
        let is_commit = matches!(point, Point::Claiming | Point::Committing);
        let delay_us = if is_commit { self.dice.below(COMMIT_US) } else { 0 };
        let trap = Trap { kind: TrapKind::Kill, point, write, delay_us };
        let trap = (point != Point::AnyTime).then_some(trap);
        let reconciles = self.plan.reconciles;
        Orders { reconciles, patient: takes_over, trap, ..Orders::new(&self.folder.0, keys) }
    }

    fn start(&self, orders: &Orders) -> Result<Running, Error> {
        let mut child = self.program.child(orders)?.spawn()?;
        let output = child.stdout.take().ok_or("a child has a pipe")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Ok(Running { child, lines })
    }

    /// Listens to a child until it ends; kills it so long after it was ready.
    fn watch(
        &mut self,
        mut running: Running,
        limit: Option<Duration>,
    ) -> Result<ExitStatus, Error> {
        let mut until = None;
        loop {
            let left = until.map_or(Duration::MAX, |until: Instant| {
                until.saturating_duration_since(Instant::now())
            });
            match running.lines.recv_timeout(left.min(Duration::from_secs(60))) {
                Ok(line) if line == "ready" => until = limit.map(|limit| Instant::now() + limit),
                Ok(line) => self.hear(&line),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) if until.is_some() => {
                    running.child.kill()?;
                    until = None;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    running.child.kill()?;
                    return Err("a child did not end".into());
                }
            }
        }
        Ok(running.child.wait()?)
    }

    fn hear(&mut self, line: &str) {
        let Ok(report) = serde_json::from_str::<Report>(line) else { return };
        if let Some(effect) = report.effect {
            self.open.retain(|key| *key != report.key);
            self.confirmed.entry(report.key.clone()).or_insert(effect);
        }
        self.last.insert(report.key.clone(), report);
    }

    /// Repeats every key until it is answered.
    fn repeat_all(&mut self) -> Result<(), Error> {
        for _ in 0..LAST_REPEATS {
            self.last.clear();
            let keys = self.keys.iter().cloned().collect();
            let orders = Orders::new(&self.folder.0, keys);
            let orders = Orders { reconciles: self.plan.reconciles, patient: true, ..orders };
            let child = self.start(&orders)?;
            let status = self.watch(child, None)?;
            if !status.success() {
                return Err(format!("the last child failed: {status}").into());
            }
        }
        Ok(())
    }

    /// Holds what the callers heard against what happened.
    fn judge(mut self) -> Result<Tally, Error> {
        let effects = EffectLog::open(&self.folder.0.join("effects.log"), false)?.effects()?;
        for key in &self.keys {
            let last = self.last.get(key);
            let outcome = Outcome {
                effects: effects.get(key).map_or(&[], Vec::as_slice),
                confirmed: self.confirmed.get(key).copied(),
                last: last.and_then(|report| report.effect),
                is_unknown: last.is_some_and(|report| report.is_refused("outcome_unknown")),
            };
            self.tally.count(outcome, self.plan.reconciles);
        }
        Ok(self.tally)
    }
}

fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::KILL.as_raw())
}

/// A folder that is gone when its series is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Error> {
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

/// Numbers that are the same for every run of a series (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
