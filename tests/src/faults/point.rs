//! The points of a keyed write at which its process is killed, or stopped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};

/// A point of a keyed write, in the order in which it comes to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Point {
    /// The claim is on its way to the disk.
    Claiming,
    /// The key is claimed, and nothing has run.
    Claimed,
    /// The tool runs, and has had no effect.
    BeforeEffect,
    /// The effect has happened, and the tool has not answered.
    AfterEffect,
    /// The tool has answered, and the store has not heard of it.
    Settling,
    /// The answer is on its way to the disk.
    Committing,
    /// The answer is kept, and the caller has not heard of it.
    Settled,
    /// An earlier run's outcome is about to be looked for.
    Reconciling,
    /// An earlier run's outcome was found, and nobody has heard of it.
    Reconciled,
    /// Whatever the moment: the parent kills.
    AnyTime,
}

impl Point {
    /// All points, in their order.
    pub const ALL: [Self; 10] = [
        Self::Claiming,
        Self::Claimed,
        Self::BeforeEffect,
        Self::AfterEffect,
        Self::Settling,
        Self::Committing,
        Self::Settled,
        Self::Reconciling,
        Self::Reconciled,
        Self::AnyTime,
    ];

    /// Tells whether only a run that takes over from another comes here.
    #[must_use]
    pub fn needs_an_earlier_run(self) -> bool {
        matches!(self, Self::Reconciling | Self::Reconciled)
    }
}

/// What becomes of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrapKind {
    /// It is killed.
    Kill,
    /// It is stopped, until it may run again and reads a line.
    Stop,
    /// The wall clock is set, and the write takes a while longer.
    StepClock {
        /// The wall clock's distance from true time afterwards, in seconds.
        offset: i64,
        /// How much longer the write takes, in milliseconds.
        pause_ms: u64,
    },
}

/// Where, and when, a process is killed or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trap {
    /// What becomes of it.
    pub kind: TrapKind,
    /// At which point.
    pub point: Point,
    /// At the how manyeth write that comes there, from 1.
    pub write: u32,
    /// How many microseconds after that, where something is on its way to the disk.
    pub delay_us: u64,
}

/// A trap that is laid in this process.
#[derive(Debug)]
pub(super) struct Laid {
    trap: Option<Trap>,
    left: AtomicU32,
    folder: PathBuf,
}

impl Laid {
    pub(super) fn new(trap: Option<Trap>, folder: &Path) -> Self {
        let left = AtomicU32::new(trap.map_or(0, |trap| trap.write));
        Self { trap, left, folder: folder.to_owned() }
    }

    /// Comes to a point, and from there no further if it is the trap's.
    pub(super) fn pass(&self, point: Point) {
        let Some(trap) = self.trap.filter(|trap| trap.point == point) else { return };
        if self.left.fetch_sub(1, Ordering::SeqCst) != 1 {
            return;
        }
        thread::sleep(Duration::from_micros(trap.delay_us));
        match trap.kind {
            TrapKind::Kill => signal(Signal::KILL),
            TrapKind::Stop => stop(),
            TrapKind::StepClock { offset, pause_ms } => {
                super::clock_steps::set(&self.folder, offset).expect("the clock can be set");
                thread::sleep(Duration::from_millis(pause_ms));
            }
        }
    }
}

fn stop() {
    super::child::say("stopped");
    signal(Signal::STOP);
    // Another thread may be the one to take the signal: this one waits until it is over.
    let _ = std::io::stdin().read_line(&mut String::new());
}

fn signal(signal: Signal) {
    kill_process(getpid(), signal).expect("a process may signal itself");
}
