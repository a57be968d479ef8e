//! Children that are suspended for longer than their lease, and continue after another process
//! took their keys over.

use std::time::Duration;

use super::counts::FaultCounts;
use super::log::Downstream;
use super::point::{Point, Trap, TrapKind};
use super::process::{Process, WaitEnd};
use super::shop::WriteTool;
use super::writes::{Writes, run_in_series};
use super::{CampaignError, ChildTask, Program};
use crate::rng::SeededRng;

/// The most keys per child: two keys show interference between them, but more would leave the
/// file's lock with the suspended process more often.
const KEYS: u64 = 2;
/// The lease of a key.
const LEASE: Duration = Duration::from_millis(150);
/// The longest delay after `ready` of a suspension at any time, in microseconds.
const ANY_TIME_US: u64 = 12_000;
/// The number of suspensions before the log is compared with the answers.
const SERIES: u32 = 4;
/// The longest time for the successor: after it, the suspended process is assumed to hold the
/// file's lock, and its run is not counted.
const LOCKED: Duration = Duration::from_millis(1_500);

/// The points outside a commit: a process that is suspended inside one holds the file's lock.
const POINTS: [Point; 6] = [
    Point::Claimed,
    Point::BeforeEffect,
    Point::AfterEffect,
    Point::Settling,
    Point::Settled,
    Point::AnyTime,
];

/// The parameters of a campaign of suspensions.
#[derive(Debug, Clone, Copy)]
pub struct FreezePlan {
    /// The number of processes that are suspended and continue.
    pub runs: u32,
    /// The tool that the children write with.
    pub tool: WriteTool,
    /// The repeats that the downstream service rejects.
    pub downstream: Downstream,
    /// The number of concurrent series.
    pub at_once: u32,
}

/// Suspends this many processes, and continues them once a successor has ended.
///
/// # Errors
/// A process cannot be started, or a child fails by itself.
pub fn run(program: &Program, plan: FreezePlan) -> Result<FaultCounts, CampaignError> {
    run_in_series(plan.at_once, plan.runs, SERIES, |number, runs| {
        let mut writes = Writes::new(program, plan.tool, plan.downstream, LEASE)?;
        let mut rng = SeededRng::new(u64::from(number) + 1);
        let (mut counts, mut round) = (FaultCounts::default(), 0);
        while counts.zombies < runs {
            counts.zombies += u32::from(freeze(&mut writes, &mut rng, round)?);
            round += 1;
        }
        writes.finish(&mut counts)?;
        Ok(counts)
    })
}

/// Suspends a child, runs a successor, and continues the child; true if it all happened in that
/// order.
fn freeze(writes: &mut Writes<'_>, rng: &mut SeededRng, round: u32) -> Result<bool, CampaignError> {
    let point = POINTS[rng.index(POINTS.len())];
    let keys = 1 + rng.below(KEYS);
    let write = u32::try_from(1 + rng.below(keys)).unwrap_or(1);
    let trap = Trap { kind: TrapKind::Stop, point, write, delay_us: 0 };
    let task = writes.task((0..keys).map(|key| format!("{round}-{key}")).collect());
    let trap = (point != Point::AnyTime).then_some(trap);
    let mut zombie = writes.start(&ChildTask { trap, ..task.clone() })?;
    let is_stopped = stop(writes, &mut zombie, point, rng)?;
    let mut successor = writes.start(&ChildTask { patient: true, ..task })?;
    let waited = successor.wait_for(None, LOCKED, |line| writes.read_line(line))?;
    let has_ended = matches!(waited, WaitEnd::Ended(_));
    zombie.go_on()?;
    for child in [&mut zombie, &mut successor] {
        child.end(|line| writes.read_line(line))?;
    }
    Ok(is_stopped && has_ended)
}

/// Waits until a child is suspended; false if it ends before.
fn stop(
    writes: &mut Writes<'_>,
    zombie: &mut Process,
    point: Point,
    rng: &mut SeededRng,
) -> Result<bool, CampaignError> {
    let word = if point == Point::AnyTime { "ready" } else { "stopped" };
    let waited =
        zombie.wait_for(Some(word), Duration::from_secs(60), |line| writes.read_line(line))?;
    if !matches!(waited, WaitEnd::Line) || point != Point::AnyTime {
        return Ok(matches!(waited, WaitEnd::Line));
    }
    let limit = Duration::from_micros(rng.below(ANY_TIME_US));
    let waited = zombie.wait_for(None, limit, |line| writes.read_line(line))?;
    let still_runs = matches!(waited, WaitEnd::TimedOut);
    if still_runs {
        zombie.stop()?;
    }
    Ok(still_runs)
}
