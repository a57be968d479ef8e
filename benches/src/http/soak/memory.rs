//! Whether a process grows.

use std::fs;
use std::time::Duration;

/// How many MiB a process may seem to grow without a leak: see [`Growth::is_a_leak`].
const ALLOWED: f64 = 8.0;

/// As many for one that is not warm yet, since what it keeps for good is still filling.
const ALLOWED_WHILE_COLD: f64 = 32.0;

/// How many seconds of samples a warm process has.
const WARM: f64 = 120.0;

const MIB: f64 = 1024.0 * 1024.0;

/// What a process held, second by second, in MiB.
#[derive(Debug, Default)]
pub(super) struct Samples(Vec<(f64, f64)>);

/// How a process grew once it was warm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// MiB at the end: the median of the last fifth.
    pub(super) last: f64,
    /// MiB by which that is more than the median of the first fifth.
    pub(super) difference: f64,
    /// MiB a minute: the median of the slopes between all pairs of samples.
    pub(super) slope: f64,
    /// MiB that the slope makes of the time that was looked at.
    pub(super) extrapolated: f64,
    /// MiB that it may be.
    allowed: f64,
}

impl Samples {
    /// Looks how much a process holds now.
    pub(super) fn take(&mut self, process: u32, at: Duration) {
        if let Some(held) = resident(process) {
            self.0.push((at.as_secs_f64(), held));
        }
    }

    pub(super) fn last(&self) -> f64 {
        self.0.last().map_or(0.0, |(_, held)| *held)
    }

    /// What is left when the first quarter, in which caches and arenas fill, is set aside.
    pub(super) fn growth(&self) -> Option<Growth> {
        let warm = &self.0[self.0.len() / 4..];
        let fifth = warm.len().div_ceil(5);
        let ((from, _), (to, _)) = (warm.first()?, warm.last()?);
        let held = |samples: &[(f64, f64)]| median(samples.iter().map(|(_, held)| *held).collect());
        let last = held(&warm[warm.len() - fifth..]);
        let slope = slope(warm);
        Some(Growth {
            last,
            difference: last - held(&warm[..fifth]),
            slope: slope * 60.0,
            extrapolated: slope * (to - from),
            allowed: if *to < WARM { ALLOWED_WHILE_COLD } else { ALLOWED },
        })
    }
}

impl Growth {
    /// Tells whether it grew, and went on growing.
    ///
    /// An allocator that takes one more arena for a thread makes a step: a difference without a
    /// slope. A burst at the end makes a slope of few pairs, which the median does not see. What
    /// leaks has both.
    pub(super) fn is_a_leak(&self) -> bool {
        self.difference > self.allowed && self.extrapolated > self.allowed
    }
}

/// The median slope of all pairs (Theil and Sen): outliers do not move it.
fn slope(samples: &[(f64, f64)]) -> f64 {
    let pairs = samples.iter().enumerate().flat_map(|(at, first)| {
        samples[at + 1..].iter().map(move |second| (second.1 - first.1) / (second.0 - first.0))
    });
    median(pairs.filter(|slope| slope.is_finite()).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Memory that a process holds, in MiB.
#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn resident(process: u32) -> Option<f64> {
    let pages = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    let bytes = pages * u64::try_from(rustix::param::page_size()).ok()?;
    Some(bytes as f64 / MIB)
}
