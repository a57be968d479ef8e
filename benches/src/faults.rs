//! The fault campaign of keyed writes: kills, frozen processes, clock steps, damaged files,
//! rolled-back ledgers.

use std::time::Instant;

use tool_tests::faults::{
    self, Downstream, FaultCounts, Point, Program, WriteTool, clock_steps, damage, kills,
    rollbacks, zombies,
};

/// The default number of kills.
const KILLS: u32 = 10_000;

/// The number of concurrent series.
const AT_ONCE: u32 = 4;

/// The tools of the frozen processes, each with the downstream service that its promise needs.
const FROZEN: [(WriteTool, Downstream); 3] = [
    (WriteTool::Plain, Downstream::Naive),
    (WriteTool::Forwarding, Downstream::Keys),
    (WriteTool::Reconciling, Downstream::Fences),
];

/// Runs the campaign, and prints the results: the given number of kills, a fifth of that many
/// frozen processes, and a tenth each of clock steps, damaged stores and rolled-back ledgers. With the URL of
/// a PostgreSQL server as the first argument, the stores are there, and nothing is damaged or rolled back.
///
/// # Errors
/// The number cannot be read, a process cannot be started, or a promise is broken.
pub fn print(arguments: &[&str]) -> Result<(), String> {
    let (postgres, arguments) = match arguments {
        [url, arguments @ ..] if url.starts_with("postgres") => (Some(*url), arguments),
        arguments => (None, arguments),
    };
    let runs: u32 = match arguments {
        [] => KILLS,
        [runs] => runs.parse().map_err(|error| format!("{runs}: {error}"))?,
        _ => {
            let expected = "expected a server's URL or none, and how many processes are killed";
            return Err(expected.to_owned());
        }
    };
    let program = Program::this(&["faults-child"]).map_err(|error| error.to_string())?;
    let program = match postgres {
        Some(url) => program.with_postgres(url),
        None => program,
    };
    println!(
        "{:<20} {:>6} {:>6} {:>8} {:>11} {:>11} {:>7} {:>8}",
        "part", "faults", "keys", "unknown", "lease lost", "not opened", "broken", "seconds"
    );
    let mut all = FaultCounts::default();
    let mut add = |name: &str, part: &dyn Fn() -> Result<FaultCounts, faults::CampaignError>| {
        let started = Instant::now();
        let counts = part().map_err(|error| format!("{name}: {error}"))?;
        let seconds = started.elapsed().as_secs_f64();
        let FaultCounts { keys, unknown, lease_lost, not_opened, .. } = counts;
        let (faults, broken) = (counts.faults(), counts.broken());
        println!(
            "{name:<20} {faults:>6} {keys:>6} {unknown:>8} {lease_lost:>11} {not_opened:>11} \
             {broken:>7} {seconds:>8.0}"
        );
        all.add(&counts);
        Ok::<_, String>(())
    };
    // Three workers on one store, or two processes on one file.
    let rivals = if postgres.is_some() { 2 } else { 1 };
    let plan = kills::KillPlan { runs, tool: WriteTool::Reconciling, rivals, at_once: AT_ONCE };
    add("kills", &|| kills::run(&program, plan))?;
    for (tool, downstream) in FROZEN {
        let plan = zombies::FreezePlan {
            runs: (runs / 5).div_ceil(3),
            tool,
            downstream,
            at_once: AT_ONCE,
        };
        add(&format!("frozen, {tool:?}"), &|| zombies::run(&program, plan))?;
    }
    add("clock steps", &|| clock_steps::run(&program, runs / 10, AT_ONCE))?;
    // Both are faults of files.
    if postgres.is_none() {
        add("damage", &|| damage::run(&program, runs / 10, AT_ONCE))?;
        add("rollbacks", &|| rollbacks::run(runs / 10, AT_ONCE))?;
    }
    println!("{:<20} {:>8}", "killed", "runs");
    for point in Point::ALL {
        let killed = all.killed.get(&point).copied().unwrap_or_default();
        println!("{:<20} {killed:>8}", format!("{point:?}"));
    }
    println!("faults: {all}");
    match all.broken() {
        0 => Ok(()),
        broken => Err(format!("{broken} promises were broken")),
    }
}

/// Runs as a child process.
///
/// # Errors
/// There is no task, or it fails.
pub fn play() -> Result<(), String> {
    match faults::play() {
        Ok(true) => Ok(()),
        Ok(false) => Err("only `figures faults` starts this".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
