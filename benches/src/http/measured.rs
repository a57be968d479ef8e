//! The measurements of one server, round by round.

use std::process::Command;
use std::time::Duration;

use super::KEY;
use super::cores::{self, Core};
use super::process::ServerProcess;
use super::wrk::Script;
use crate::rates::median;

/// The duration of one server's round.
const ROUND: Duration = Duration::from_secs(2);

/// The time for which each server is loaded before the measurement.
const WARM_UP: Duration = Duration::from_secs(1);

/// The measurements of one server, by round.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) per_cpu: Vec<f64>,
    pub(super) per_second: Vec<f64>,
    pub(super) p50: Vec<f64>,
    pub(super) p99: Vec<f64>,
}

impl Measured {
    /// Measures a server that is started for this round: the memory layout of a process changes the cost
    /// of a request by some per cent.
    #[allow(clippy::cast_precision_loss, reason = "counts and times are far below 2^52")]
    pub(super) fn round(&mut self, command: Command, script: &Script) -> Result<(), String> {
        let server = start(command)?;
        let warm_up = script.load(server.port, KEY, WARM_UP)?;
        let before = server.settled()?;
        let seen = script.load(server.port, KEY, ROUND)?;
        let used = server.settled()?.saturating_sub(before);
        self.per_cpu.push(seen.requests as f64 / used.as_secs_f64());
        self.per_second.push(seen.requests as f64 / ROUND.as_secs_f64());
        self.p50.push(seen.p50 as f64 / 1e3);
        self.p99.push(seen.p99 as f64 / 1e3);
        is_whole(&server.end()?, warm_up.requests + seen.requests)
    }

    /// Prints the head of the table.
    pub(super) fn print_head() {
        println!(
            "{:<34}{:>12}{:>11}{:>9}{:>9}",
            "", "a CPU second", "a second", "p50 ms", "p99 ms"
        );
    }

    /// Prints the medians as a line of the table.
    pub(super) fn print(&self, title: &str) {
        println!(
            "{title:<34}{:>12.0}{:>11.0}{:>9.2}{:>9.2}",
            median(&self.per_cpu),
            median(&self.per_second),
            median(&self.p50),
            median(&self.p99)
        );
    }
}

/// Starts a server on its core.
pub(super) fn start(command: Command) -> Result<ServerProcess, String> {
    cores::stay_on(Core::Server)?;
    ServerProcess::start(command)
}

/// A server with a ledger reports its records at the end: one for every request.
fn is_whole(last: &str, requests: u64) -> Result<(), String> {
    let Some(said) = last.strip_prefix("ledger ") else { return Ok(()) };
    let count = |name: &str| {
        let word = said.split_whitespace().find_map(|word| word.strip_prefix(name));
        word.and_then(|number| number.parse::<u64>().ok())
    };
    let is_whole = count("shed=") == Some(0)
        && count("lost=") == Some(0)
        && count("written=").is_some_and(|written| written >= requests);
    is_whole.then_some(()).ok_or_else(|| format!("{requests} requests, and {said}"))
}
