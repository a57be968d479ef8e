//! Children whose wall clock is set forward and back between and during their writes.
//!
//! libfaketime gives a child a wall clock that follows a file; the monotonic clock is unchanged.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use super::counts::FaultCounts;
use super::log::Downstream;
use super::point::{Point, Trap, TrapKind};
use super::shop::WriteTool;
use super::writes::{Writes, run_in_series};
use super::{CampaignError, ChildTask, ClockStep, Program};
use crate::rng::SeededRng;

const DAY: i64 = 24 * 60 * 60;
/// Steps from seconds to more than a month.
const STEPS: [i64; 6] = [2, 3_600, DAY + 3_600, 2 * DAY, 8 * DAY, 40 * DAY];
/// The number of keys that a child writes between two steps.
const KEYS: u32 = 2;
/// The number of steps per child.
const STEPS_PER_CHILD: u32 = 12;
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

/// The parameters of a campaign of clock steps.
#[derive(Debug, Clone)]
pub struct ClockPlan {
    /// The number of steps.
    pub steps: u32,
    /// The tool that the children write with.
    pub tool: WriteTool,
    /// The offsets from true time that the clock is set to, in seconds; steps from seconds to more than a month if none.
    pub offsets: Vec<i64>,
    /// The number of concurrent series.
    pub at_once: u32,
}

impl ClockPlan {
    /// Makes this many steps of a plain tool's clock.
    #[must_use]
    pub fn new(steps: u32, at_once: u32) -> Self {
        Self { steps, tool: WriteTool::Plain, offsets: STEPS.to_vec(), at_once }
    }
}

/// Makes the steps of the clock; each write is repeated after each step.
///
/// # Errors
/// libfaketime is not installed, a process cannot be started, or a child fails.
pub fn run(program: &Program, plan: &ClockPlan) -> Result<FaultCounts, CampaignError> {
    let ClockPlan { steps, tool, ref offsets, at_once } = *plan;
    let library =
        library().ok_or("libfaketime is not installed; install Debian's package faketime")?;
    let program = program.with_clock(library);
    run_in_series(at_once, steps, STEPS_PER_CHILD, |number, steps| {
        let mut rng = SeededRng::new(u64::from(number) + 1);
        let mut counts = FaultCounts { clock_steps: steps, ..FaultCounts::default() };
        let downstream = if tool.resolves() { Downstream::Fences } else { Downstream::Naive };
        let mut writes = Writes::new(&program, tool, downstream, LEASE)?;
        set(&writes.folder.0, 0)?;
        let first: Vec<_> = keys(0);
        let task = ChildTask {
            clock_steps: plan_steps(&mut rng, offsets, steps),
            ..writes.task(first.clone())
        };
        for step in &task.clock_steps {
            writes.expect(&step.keys);
        }
        let status = writes.start(&task)?.end(|line| writes.read_line(line))?;
        if !status.success() {
            return Err(format!("a child: {status}").into());
        }
        step_during_a_write(&mut writes, offsets, &mut rng)?;
        counts.clock_steps += 1;
        set(&writes.folder.0, 0)?;
        writes.finish(&mut counts)?;
        Ok(counts)
    })
}

fn keys(round: u32) -> Vec<String> {
    (0..KEYS).map(|key| format!("{round}-{key}")).collect()
}

/// Steps forward with new keys, then back with all keys so far, repeatedly.
fn plan_steps(rng: &mut SeededRng, offsets: &[i64], steps: u32) -> Vec<ClockStep> {
    let mut known = keys(0);
    let plan = (1..=steps).map(|number| {
        if number % 2 == 1 {
            let new = keys(number);
            known.extend(new.clone());
            ClockStep { offset: offsets[rng.index(offsets.len())], keys: new }
        } else {
            ClockStep { offset: 0, keys: known.clone() }
        }
    });
    plan.collect()
}

/// Sets the clock during a write that a second process repeats.
fn step_during_a_write(
    writes: &mut Writes<'_>,
    offsets: &[i64],
    rng: &mut SeededRng,
) -> Result<(), CampaignError> {
    let kind =
        TrapKind::StepClock { offset: offsets[rng.index(offsets.len())], pause_ms: PAUSE_MS };
    let point = [Point::BeforeEffect, Point::AfterEffect][rng.index(2)];
    let trap = Trap { kind, point, write: 1, delay_us: 0 };
    let task = writes.task(vec!["during-a-write".to_owned()]);
    let mut first = writes.start(&ChildTask { trap: Some(trap), ..task.clone() })?;
    first.wait_for(Some("ready"), Duration::from_secs(60), |line| writes.read_line(line))?;
    let mut rival = writes.start(&ChildTask { patient: true, ..task })?;
    for child in [&mut first, &mut rival] {
        child.end(|line| writes.read_line(line))?;
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
