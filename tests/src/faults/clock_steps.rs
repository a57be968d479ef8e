//! Children whose wall clock is set forward and back between and during their writes.
//!
//! libfaketime gives a child a wall clock that follows a file; the monotonic clock is unchanged.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use super::log::Downstream;
use super::point::{Point, Trap, TrapKind};
use super::shop::WriteTool;
use super::tally::Tally;
use super::writes::{Writes, side_by_side};
use super::{CampaignError, ClockStep, Orders, Program};
use crate::dice::Dice;

const DAY: i64 = 24 * 60 * 60;
/// Steps from seconds to more than a month.
const STEPS: [i64; 6] = [2, 3_600, DAY + 3_600, 2 * DAY, 8 * DAY, 40 * DAY];
/// The number of keys that a child writes between two steps.
const KEYS: u32 = 2;
/// How many steps a child takes.
const STEPS_A_CHILD: u32 = 12;
/// Longer than a write takes, shorter than the smallest step.
const LEASE: Duration = Duration::from_millis(500);
/// The extra time of a write during which the clock is set.
const PAUSE_MS: u64 = 80;

/// Returns the file in the folder that its children's wall clock follows.
pub(super) fn file(folder: &Path) -> PathBuf {
    folder.join("clock")
}

/// Sets the offset of the children's wall clock from true time, in seconds.
pub(super) fn set(folder: &Path, offset: i64) -> io::Result<()> {
    let next = folder.join("clock.next");
    fs::write(&next, format!("{offset:+}\n"))?;
    fs::rename(next, file(folder))
}

/// Finds libfaketime where Debian's package `faketime` installs it.
#[must_use]
pub fn library() -> Option<PathBuf> {
    let machines = fs::read_dir("/usr/lib").ok()?.flatten();
    let found = machines.map(|machine| machine.path().join("faketime/libfaketime.so.1"));
    found.into_iter().find(|path| path.is_file())
}

/// Makes this many steps of the clock; each write is repeated after each step.
///
/// # Errors
/// libfaketime is not there, a process cannot be started, or fails by itself.
pub fn run(program: &Program, steps: u32, at_once: u32) -> Result<Tally, CampaignError> {
    let library = library().ok_or("libfaketime is not there: install Debian's package faketime")?;
    let program = program.with_clock(library);
    side_by_side(at_once, steps.div_ceil(STEPS_A_CHILD), |number| {
        let steps = STEPS_A_CHILD.min(steps - number * STEPS_A_CHILD);
        let mut dice = Dice::new(u64::from(number) + 1);
        let mut tally = Tally { clock_steps: steps, ..Tally::default() };
        let mut writes = Writes::new(&program, WriteTool::Plain, Downstream::Naive, LEASE)?;
        set(&writes.folder.0, 0)?;
        let first: Vec<_> = keys(0);
        let orders = Orders { clock_steps: plan(&mut dice, steps), ..writes.orders(first.clone()) };
        for step in &orders.clock_steps {
            writes.expect(&step.keys);
        }
        let status = writes.start(&orders)?.end(|line| writes.hear(line))?;
        if !status.success() {
            return Err(format!("a child: {status}").into());
        }
        step_during_a_write(&mut writes, &mut dice)?;
        tally.clock_steps += 1;
        set(&writes.folder.0, 0)?;
        writes.judge(&mut tally)?;
        Ok(tally)
    })
}

fn keys(round: u32) -> Vec<String> {
    (0..KEYS).map(|key| format!("{round}-{key}")).collect()
}

/// Goes forward with new keys, then back with all keys so far, over and over.
fn plan(dice: &mut Dice, steps: u32) -> Vec<ClockStep> {
    let mut known = keys(0);
    let plan = (1..=steps).map(|number| {
        if number % 2 == 1 {
            let new = keys(number);
            known.extend(new.clone());
            ClockStep { offset: STEPS[dice.index(STEPS.len())], keys: new }
        } else {
            ClockStep { offset: 0, keys: known.clone() }
        }
    });
    plan.collect()
}

/// Sets the clock while a write is under way that a second process repeats.
fn step_during_a_write(writes: &mut Writes<'_>, dice: &mut Dice) -> Result<(), CampaignError> {
    let kind = TrapKind::StepClock { offset: STEPS[dice.index(STEPS.len())], pause_ms: PAUSE_MS };
    let point = [Point::BeforeEffect, Point::AfterEffect][dice.index(2)];
    let trap = Trap { kind, point, write: 1, delay_us: 0 };
    let orders = writes.orders(vec!["during-a-write".to_owned()]);
    let mut first = writes.start(&Orders { trap: Some(trap), ..orders.clone() })?;
    first.wait_for(Some("ready"), Duration::from_secs(60), |line| writes.hear(line))?;
    let mut rival = writes.start(&Orders { patient: true, ..orders })?;
    for child in [&mut first, &mut rival] {
        child.end(|line| writes.hear(line))?;
    }
    Ok(())
}

impl Program {
    /// Gives each child a wall clock that follows the [`file`] in its folder, once its folder is known.
    fn with_clock(&self, library: PathBuf) -> Self {
        let mut program = self.clone();
        program.environment.extend([
            ("LD_PRELOAD".into(), library.into()),
            ("FAKETIME_NO_CACHE".into(), "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC".into(), "1".into()),
        ]);
        program
    }
}
