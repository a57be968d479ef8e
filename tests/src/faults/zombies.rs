//! Children that are suspended for longer than their lease, and continue after another process
//! took their keys over.

use std::time::Duration;

use super::log::Downstream;
use super::point::{Point, Trap, TrapKind};
use super::process::{Process, Waited};
use super::shop::WriteTool;
use super::tally::Tally;
use super::writes::{Writes, side_by_side};
use super::{CampaignError, Orders, Program};
use crate::dice::Dice;

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
pub struct Plan {
    /// How many processes are stopped and go on.
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
/// A process cannot be started, or fails by itself.
pub fn run(program: &Program, plan: Plan) -> Result<Tally, CampaignError> {
    side_by_side(plan.at_once, plan.runs.div_ceil(SERIES), |number| {
        let runs = SERIES.min(plan.runs - number * SERIES);
        let mut writes = Writes::new(program, plan.tool, plan.downstream, LEASE)?;
        let mut dice = Dice::new(u64::from(number) + 1);
        let (mut tally, mut round) = (Tally::default(), 0);
        while tally.zombies < runs {
            tally.zombies += u32::from(freeze(&mut writes, &mut dice, round)?);
            round += 1;
        }
        writes.judge(&mut tally)?;
        Ok(tally)
    })
}

/// Stops a child, runs a successor, and lets the child go on; true if it all came in that order.
fn freeze(writes: &mut Writes<'_>, dice: &mut Dice, round: u32) -> Result<bool, CampaignError> {
    let point = POINTS[dice.index(POINTS.len())];
    let keys = 1 + dice.below(KEYS);
    let write = u32::try_from(1 + dice.below(keys)).unwrap_or(1);
    let trap = Trap { kind: TrapKind::Stop, point, write, delay_us: 0 };
    let orders = writes.orders((0..keys).map(|key| format!("{round}-{key}")).collect());
    let trap = (point != Point::AnyTime).then_some(trap);
    let mut zombie = writes.start(&Orders { trap, ..orders.clone() })?;
    let is_stopped = stop(writes, &mut zombie, point, dice)?;
    let mut successor = writes.start(&Orders { patient: true, ..orders })?;
    let waited = successor.wait_for(None, LOCKED, |line| writes.hear(line))?;
    let has_ended = matches!(waited, Waited::Ended(_));
    zombie.go_on()?;
    for child in [&mut zombie, &mut successor] {
        child.end(|line| writes.hear(line))?;
    }
    Ok(is_stopped && has_ended)
}

/// Waits until a child is suspended; false if it ends before.
fn stop(
    writes: &mut Writes<'_>,
    zombie: &mut Process,
    point: Point,
    dice: &mut Dice,
) -> Result<bool, CampaignError> {
    let word = if point == Point::AnyTime { "ready" } else { "stopped" };
    let waited = zombie.wait_for(Some(word), Duration::from_secs(60), |line| writes.hear(line))?;
    if !matches!(waited, Waited::Said) || point != Point::AnyTime {
        return Ok(matches!(waited, Waited::Said));
    }
    let limit = Duration::from_micros(dice.below(ANY_TIME_US));
    let waited = zombie.wait_for(None, limit, |line| writes.hear(line))?;
    let still_runs = matches!(waited, Waited::TimedOut);
    if still_runs {
        zombie.stop()?;
    }
    Ok(still_runs)
}
