//! Keyed writes in processes that are killed.

use std::time::Instant;

use tool_tests::faults::{self, Plan, Point, Program};

/// How many processes are killed unless said.
const RUNS: u32 = 10_000;

/// How many series go on at once.
const AT_ONCE: u32 = 4;

/// Kills so many processes in the middle of keyed writes, and prints what became of the writes.
///
/// # Errors
/// The number cannot be read, a process cannot be started, or a promise is broken.
pub fn print(arguments: &[&str]) -> Result<(), String> {
    let runs = match arguments {
        [] => RUNS,
        [runs] => runs.parse().map_err(|error| format!("{runs}: {error}"))?,
        _ => return Err("one number at most: how many processes are killed".to_owned()),
    };
    let program = Program::this(&["faults-child"]).map_err(|error| error.to_string())?;
    let started = Instant::now();
    let plan = Plan { runs, reconciles: true, rivals: true, at_once: AT_ONCE };
    let tally = faults::run(&program, plan).map_err(|error| error.to_string())?;
    println!("{:<20} {:>8}", "killed", "runs");
    for point in Point::ALL {
        let killed = tally.killed.get(&point).copied().unwrap_or_default();
        println!("{:<20} {killed:>8}", format!("{point:?}"));
    }
    println!(
        "{} keys, {} effects, in {:.0} s",
        tally.keys,
        tally.effects,
        started.elapsed().as_secs_f64()
    );
    println!("faults: {tally}");
    let broken = tally.double + tally.lost + tally.unresolved;
    if broken == 0 { Ok(()) } else { Err(format!("{broken} promises were broken")) }
}

/// Plays a child's part.
///
/// # Errors
/// It was given no orders, or cannot carry them out.
pub fn play() -> Result<(), String> {
    match faults::play() {
        Ok(true) => Ok(()),
        Ok(false) => Err("only `figures faults` starts this".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
