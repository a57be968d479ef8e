//! The fault campaign of keyed writes: kills, frozen processes, clock steps, damaged files,
//! rolled-back ledgers.

use std::time::Instant;

use tool_tests::faults::{
    self, Downstream, FaultCounts, Point, Program, WriteTool, budgets, clock_steps, damage, kills,
    rollbacks, zombies,
};

/// The default number of kills.
const KILLS: u32 = 10_000;

/// The number of concurrent series.
const AT_ONCE: u32 = 4;

/// The number of concurrent series of payments, each with four processes.
const LANES: u32 = 2;

/// The tools of the frozen processes that pay.
const FROZEN_PAYMENTS: [(WriteTool, Downstream); 2] =
    [(WriteTool::Paying, Downstream::Fences), (WriteTool::PayingBlindly, Downstream::Naive)];

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
    let Campaign { program, runs, is_postgres } = Campaign::read(arguments)?;
    let mut parts = Parts::begin();
    // Three workers on one store, or two processes on one file.
    let rivals = if is_postgres { 2 } else { 1 };
    let plan = kills::KillPlan { runs, tool: WriteTool::Reconciling, rivals, at_once: AT_ONCE };
    parts.add("kills", &|| kills::run(&program, plan))?;
    for (tool, downstream) in FROZEN {
        let runs = (runs / 5).div_ceil(3);
        let plan = zombies::FreezePlan { runs, tool, downstream, at_once: AT_ONCE };
        parts.add(&format!("frozen, {tool:?}"), &|| zombies::run(&program, plan))?;
    }
    let steps = clock_steps::ClockPlan::new(runs / 10, AT_ONCE);
    parts.add("clock steps", &|| clock_steps::run(&program, &steps))?;
    // Both are faults of files.
    if !is_postgres {
        parts.add("damage", &|| damage::run(&program, runs / 10, AT_ONCE))?;
        parts.add("rollbacks", &|| rollbacks::run(runs / 10, AT_ONCE))?;
    }
    parts.print_points();
    println!("faults: {}", parts.all);
    parts.end()
}

/// Runs the campaign of payments under budgets, and prints the results: the given number of kills, four processes with
/// sixteen callers at a time, a tenth of that many frozen processes, and a twentieth of clock steps around midnights and
/// the nights in which the clocks change.
///
/// # Errors
/// The number cannot be read, a process cannot be started, or a promise is broken.
pub fn print_budgets(arguments: &[&str]) -> Result<(), String> {
    let Campaign { program, runs, is_postgres: _ } = Campaign::read(arguments)?;
    let mut parts = Parts::begin();
    parts.add("kills", &|| budgets::kill(&program, runs, LANES))?;
    for (tool, downstream) in FROZEN_PAYMENTS {
        let runs = (runs / 10).div_ceil(2);
        let plan = zombies::FreezePlan { runs, tool, downstream, at_once: AT_ONCE };
        parts.add(&format!("frozen, {tool:?}"), &|| zombies::run(&program, plan))?;
    }
    let plan = clock_steps::ClockPlan {
        tool: WriteTool::Paying,
        offsets: budgets::clock_offsets(),
        ..clock_steps::ClockPlan::new(runs / 20, AT_ONCE)
    };
    parts.add("clock steps", &|| clock_steps::run(&program, &plan))?;
    parts.print_points();
    let FaultCounts { overspent, stuck, lost, double, unresolved, refused, keys, .. } = parts.all;
    let FaultCounts { effects, unknown, misrecorded, zombies, clock_steps, .. } = parts.all;
    let FaultCounts { paid_cents, recorded_cents, .. } = parts.all;
    let kills = parts.all.kills();
    println!(
        "budgets: overspent={overspent} stuck={stuck} lost={lost} double={double} \
         unresolved={unresolved} kills={kills} zombies={zombies} clock_steps={clock_steps} \
         payments={keys} paid={effects} refused={refused} unknown={unknown} \
         misrecorded={misrecorded} ledger_cents={recorded_cents} downstream_cents={paid_cents}"
    );
    parts.end()
}

/// The arguments of a campaign.
struct Campaign {
    program: Program,
    runs: u32,
    is_postgres: bool,
}

impl Campaign {
    /// Reads the URL of a server, if the stores are there, and the number of kills.
    fn read(arguments: &[&str]) -> Result<Self, String> {
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
        Ok(Self { program, runs, is_postgres: postgres.is_some() })
    }
}

/// The parts of a campaign, printed as they end.
struct Parts {
    all: FaultCounts,
}

impl Parts {
    fn begin() -> Self {
        println!(
            "{:<22} {:>6} {:>6} {:>8} {:>8} {:>11} {:>11} {:>7} {:>8}",
            "part",
            "faults",
            "keys",
            "refused",
            "unknown",
            "lease lost",
            "not opened",
            "broken",
            "seconds"
        );
        Self { all: FaultCounts::default() }
    }

    fn add(
        &mut self,
        name: &str,
        part: &dyn Fn() -> Result<FaultCounts, faults::CampaignError>,
    ) -> Result<(), String> {
        let started = Instant::now();
        let counts = part().map_err(|error| format!("{name}: {error}"))?;
        let seconds = started.elapsed().as_secs_f64();
        let FaultCounts { keys, refused, unknown, lease_lost, not_opened, .. } = counts;
        let (faults, broken) = (counts.faults(), counts.broken());
        println!(
            "{name:<22} {faults:>6} {keys:>6} {refused:>8} {unknown:>8} {lease_lost:>11} {not_opened:>11} \
             {broken:>7} {seconds:>8.0}"
        );
        self.all.add(&counts);
        Ok(())
    }

    fn print_points(&self) {
        println!("{:<20} {:>8}", "killed", "runs");
        for point in Point::ALL {
            let killed = self.all.killed.get(&point).copied().unwrap_or_default();
            println!("{:<20} {killed:>8}", format!("{point:?}"));
        }
    }

    fn end(self) -> Result<(), String> {
        match self.all.broken() {
            0 => Ok(()),
            broken => Err(format!("{broken} promises were broken")),
        }
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
