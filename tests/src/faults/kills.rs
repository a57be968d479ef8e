//! Children that are killed at any point of their writes.

use std::time::Duration;

use super::counts::FaultCounts;
use super::log::Downstream;
use super::point::{Point, Trap, TrapKind};
use super::process::{Process, WaitEnd, was_killed};
use super::shop::WriteTool;
use super::writes::{Writes, run_in_series};
use super::{CampaignError, ChildTask, LEASE, Program};
use crate::rng::SeededRng;

/// The number of new keys per child.
const KEYS: u32 = 4;
/// The number of dead children's keys that a child repeats where needed.
const REPEATED: usize = 8;
/// The longest delay after `ready` of a kill at any time, in microseconds.
const ANY_TIME_US: u64 = 12_000;
/// The longest delay of a kill during a commit, in microseconds.
const COMMIT_US: u64 = 2_500;
/// The number of kills before the log is compared with the answers.
const SERIES: u32 = 100;

/// The parameters of a campaign of kills.
#[derive(Debug, Clone, Copy)]
pub struct KillPlan {
    /// The number of kills.
    pub runs: u32,
    /// The tool that the children write with.
    pub tool: WriteTool,
    /// The concurrent rivals on the same keys that every third child has.
    pub rivals: u32,
    /// The number of concurrent series.
    pub at_once: u32,
}

/// Makes this many kills, in series that each start with an empty store.
///
/// # Errors
/// A process cannot be started, or a child fails by itself.
pub fn run(program: &Program, plan: KillPlan) -> Result<FaultCounts, CampaignError> {
    run_in_series(plan.at_once, plan.runs, SERIES, |number, runs| {
        Series::new(program, plan, number)?.run(runs)
    })
}

/// One store with its log and its child processes.
struct Series<'p> {
    plan: KillPlan,
    writes: Writes<'p>,
    rng: SeededRng,
    counts: FaultCounts,
}

impl<'p> Series<'p> {
    fn new(program: &'p Program, plan: KillPlan, number: u32) -> Result<Self, CampaignError> {
        let writes = Writes::new(program, plan.tool, Downstream::Fences, LEASE)?;
        let rng = SeededRng::new(u64::from(number) + 1);
        Ok(Self { plan, writes, rng, counts: FaultCounts::default() })
    }

    fn run(mut self, runs: u32) -> Result<FaultCounts, CampaignError> {
        let mut round = 0;
        while self.counts.kills() < runs {
            let point = self.rarest();
            if point.needs_an_earlier_run() && self.writes.open.is_empty() {
                // This child only leaves a key for later ones, and is not counted.
                self.round(Point::AfterEffect, round)?;
            } else if self.round(point, round)? {
                *self.counts.killed.entry(point).or_default() += 1;
            }
            round += 1;
        }
        self.writes.finish(&mut self.counts)?;
        Ok(self.counts)
    }

    /// Returns the point with the fewest kills.
    fn rarest(&self) -> Point {
        let reconciles = self.plan.tool == WriteTool::Reconciling;
        let comes_there = |point: &Point| reconciles || !point.needs_an_earlier_run();
        let killed = |point: &Point| self.counts.killed.get(point).copied().unwrap_or_default();
        let points = Point::ALL.into_iter().filter(comes_there);
        points.min_by_key(killed).unwrap_or(Point::AnyTime)
    }

    /// Starts a child, and returns whether it was killed.
    fn round(&mut self, point: Point, round: u32) -> Result<bool, CampaignError> {
        let task = self.task(point, round);
        let mut child = self.writes.start(&task)?;
        let rivals = if round % 3 == 0 { self.plan.rivals } else { 0 };
        let rivals = (0..rivals)
            .map(|_| self.writes.start(&ChildTask { trap: None, ..task.clone() }))
            .collect::<Result<Vec<_>, _>>()?;
        if point == Point::AnyTime {
            self.kill_at_any_time(&mut child)?;
        }
        let status = child.end(|line| self.writes.read_line(line))?;
        for mut rival in rivals {
            rival.end(|line| self.writes.read_line(line))?;
        }
        let killed = was_killed(status);
        if killed || status.success() {
            Ok(killed)
        } else {
            Err(format!("a child: {status}").into())
        }
    }

    fn kill_at_any_time(&mut self, child: &mut Process) -> Result<(), CampaignError> {
        let limit = Duration::from_micros(self.rng.below(ANY_TIME_US));
        let read_line = |line: &str| self.writes.read_line(line);
        if let WaitEnd::Line = child.wait_for(Some("ready"), Duration::from_secs(60), read_line)? {
            if let WaitEnd::TimedOut =
                child.wait_for(None, limit, |line| self.writes.read_line(line))?
            {
                child.kill()?;
            }
        }
        Ok(())
    }

    fn task(&mut self, point: Point, round: u32) -> ChildTask {
        let takes_over = point.needs_an_earlier_run();
        let keys: Vec<_> = if takes_over {
            self.writes.open.iter().take(REPEATED).cloned().collect()
        } else {
            let repeated = self.writes.open.first().cloned();
            (0..KEYS).map(|key| format!("{round}-{key}")).chain(repeated).collect()
        };
        let most = if takes_over { 2 } else { u64::from(KEYS) };
        let write = u32::try_from(1 + self.rng.below(most)).unwrap_or(1);
        let is_commit = matches!(point, Point::Claiming | Point::Committing);
        let delay_us = if is_commit { self.rng.below(COMMIT_US) } else { 0 };
        let trap = Trap { kind: TrapKind::Kill, point, write, delay_us };
        let trap = (point != Point::AnyTime).then_some(trap);
        ChildTask { patient: takes_over, trap, ..self.writes.task(keys) }
    }
}
