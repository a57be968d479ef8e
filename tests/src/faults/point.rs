//! The points of a keyed write at which its process is killed or suspended.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};

/// A point of a keyed write, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Point {
    /// The claim is being written to disk.
    Claiming,
    /// The key is claimed, and the tool has not started.
    Claimed,
    /// The tool is running, and has had no effect.
    BeforeEffect,
    /// The effect has happened, and the tool has not returned.
    AfterEffect,
    /// The tool has returned, and its answer was not sent to the store.
    Settling,
    /// The answer is being written to disk.
    Committing,
    /// The answer is stored, and was not returned to the caller.
    Settled,
    /// The outcome of an earlier run is about to be determined.
    Reconciling,
    /// The outcome of an earlier run was determined, and not stored.
    Reconciled,
    /// Any time: the parent kills the process.
    AnyTime,
}

impl Point {
    /// All points, in order.
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

    /// Returns whether only a run that takes over from another reaches this point.
    #[must_use]
    pub fn needs_an_earlier_run(self) -> bool {
        matches!(self, Self::Reconciling | Self::Reconciled)
    }
}

/// The action at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrapKind {
    /// The process is killed.
    Kill,
    /// The process is suspended, until it is continued and reads a line.
    Stop,
    /// The wall clock is set, and the write takes longer.
    StepClock {
        /// The wall clock's offset from true time afterwards, in seconds.
        offset: i64,
        /// The extra time of the write, in milliseconds.
        pause_ms: u64,
    },
}

/// The point and the action of a fault in a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trap {
    /// The action.
    pub kind: TrapKind,
    /// The point.
    pub point: Point,
    /// The ordinal of the write at the point, from 1.
    pub write: u32,
    /// The delay after the point, for points during a write to disk, in microseconds.
    pub delay_us: u64,
}

/// A trap that is active in this process.
#[derive(Debug)]
pub(super) struct ArmedTrap {
    trap: Option<Trap>,
    left: AtomicU32,
    folder: PathBuf,
}

impl ArmedTrap {
    pub(super) fn new(trap: Option<Trap>, folder: &Path) -> Self {
        let left = AtomicU32::new(trap.map_or(0, |trap| trap.write));
        Self { trap, left, folder: folder.to_owned() }
    }

    /// Reaches a point, and triggers the trap if it is set for it.
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
    super::child::print_line("stopped");
    signal(Signal::STOP);
    // Another thread may take the signal: this one waits until the process is continued.
    let _ = std::io::stdin().read_line(&mut String::new());
}

fn signal(signal: Signal) {
    kill_process(getpid(), signal).expect("a process may signal itself");
}
