//! A tool server under load and faults for a given time, and its leaks afterwards.

mod act;
mod client;
mod farewell;
mod memory;
mod records;
mod request;
mod server;
mod settling;
mod tally;
mod tools;
mod wire;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use self::client::{Client, Shared};
use self::memory::{Growth, Rests, mib, resident};
use self::records::Accounts;
pub use self::server::serve;
use self::settling::Left;
use super::process::ServerProcess;
use crate::rates::text;

/// The default duration, in seconds.
const SECONDS: u64 = 600;

/// The number of clients.
const CLIENTS: u64 = 48;

/// The number of phases, each followed by an idle time.
const LEGS: u32 = 4;

/// The time between two reports of progress.
const SAID_EVERY: Duration = Duration::from_secs(5);

/// The time for running calls to end during the shutdown.
const GRACE: Duration = Duration::from_secs(3);

/// The time for cancelled calls to be answered.
const FAREWELL: Duration = Duration::from_secs(2);

/// The panic message of a tool that is made to panic.
const WANTED_PANIC: &str = "the soak wants it so";

/// Loads a server for this many seconds, and checks its state afterwards.
///
/// # Errors
/// The arguments cannot be read, the server cannot be started, or a check fails.
pub fn print(arguments: &[&str]) -> Result<(), String> {
    let number = |word: &str| word.parse::<u64>().map_err(|error| format!("{word}: {error}"));
    let (seconds, seed) = match arguments {
        [] => (SECONDS, None),
        [seconds] => (number(seconds)?, None),
        [seconds, seed] => (number(seconds)?, Some(number(seed)?)),
        _ => return Err("two numbers at most: how many seconds, and the seed".to_owned()),
    };
    let seed = seed.unwrap_or_else(any_seed);
    let folder = std::env::temp_dir().join(format!("soak-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(text)?;
    println!("{CLIENTS} clients, seed {seed}: cargo figures soak {seconds} {seed}");
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    let result = executor.block_on(soak(&folder, Duration::from_secs(seconds), seed));
    fs::remove_dir_all(&folder).map_err(text)?;
    result?.judged()
}

fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos())
}

/// The results of a soak.
struct Outcome {
    time: Duration,
    shared: Arc<Shared>,
    rests: Rests,
    left: Left,
    accounts: Accounts,
    ended: String,
    ended_in: Duration,
}

async fn soak(folder: &Path, time: Duration, seed: u64) -> Result<Outcome, String> {
    let mut command = Command::new(std::env::current_exe().map_err(text)?);
    command.arg("soak-serve").arg(folder);
    let mut server = ServerProcess::start(command)?;
    let idle = Left::of(&mut server).await?;
    let shared = Arc::new(Shared::default());
    let (mut rests, mut left) = (Rests::default(), Left::default());
    for leg in 0..LEGS {
        load(&mut server, &shared, leg, time / LEGS, seed).await?;
        left = Left::settled(&mut server, &idle).await?;
        rests.add(shared.tally.requests(), left.live, resident(server.id())?);
        if !left.is_nothing() {
            break;
        }
    }
    let (ended, ended_in) = farewell::farewell(server, &shared).await?;
    let accounts = records::accounts(folder)?;
    Ok(Outcome { time, shared, rests, left, accounts, ended, ended_in })
}

/// Lets all clients act for a while, and prints reports of progress.
async fn load(
    server: &mut ServerProcess,
    shared: &Arc<Shared>,
    leg: u32,
    time: Duration,
    seed: u64,
) -> Result<(), String> {
    let (begun, until) = (Instant::now(), Instant::now() + time);
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let seed = seed.wrapping_mul(0x1_0000).wrapping_add(u64::from(leg) * CLIENTS + client);
        clients.spawn(Client::new(server.port, seed, shared.clone()).run(until));
    }
    let mut ticks = interval(SAID_EVERY);
    ticks.tick().await;
    while Instant::now() + SAID_EVERY < until {
        ticks.tick().await;
        let (tally, state) = (&shared.tally, server.inquire("state")?);
        println!(
            "{:>5} s {:>9} requests {:>8} faults {:>7.1} MiB  {}",
            (time * leg + begun.elapsed()).as_secs(),
            tally.requests(),
            tally.faults(),
            mib(resident(server.id())?),
            state.trim_end()
        );
    }
    while let Some(ended) = clients.join_next().await {
        ended.map_err(text)?;
    }
    Ok(())
}

impl Outcome {
    /// Prints the results; an error lists all failed checks.
    fn judged(&self) -> Result<(), String> {
        self.print_acts();
        let tally = &self.shared.tally;
        let [unanswered, wrong, not_the_tools] = tally.failures();
        let (growth, left) = (self.rests.growth(), &self.left);
        let grown = growth.unwrap_or_default();
        println!(
            "soak: seconds={} requests={} faults={} unanswered={unanswered} wrong={wrong} \
             5xx_not_the_tools={not_the_tools} panics_not_the_tools={} leaked_tasks={} \
             leaked_permits={} live_mib={:.2} live_growth_mib={:.2} live_bytes_a_request={} \
             seen_from_bytes_a_request={} rss_mib={:.1} rss_growth_mib={:.1} \
             reached={} unrecorded={} invented={} doubled={} \
             ledger=verified ended_in_ms={}",
            self.time.as_secs(),
            tally.requests(),
            tally.faults(),
            left.panics,
            left.tasks,
            left.permits,
            mib(left.live),
            mib(grown.live),
            grown.per_request(),
            grown.seen_from(),
            mib(self.rests.resident()),
            mib(grown.resident),
            self.accounts.reached,
            self.accounts.unrecorded,
            self.accounts.invented,
            self.accounts.doubled,
            self.ended_in.as_millis(),
        );
        let checks = [
            (unanswered > 0, "requests were not answered"),
            (wrong > 0, "answers were wrong"),
            (not_the_tools > 0, "the server failed where no tool did"),
            (left.panics > 0, "something panicked that is not a tool"),
            (left.tasks > 0, "tasks are left"),
            (left.permits > 0, "permits are left"),
            (growth.is_some_and(Growth::is_a_leak), "memory grows"),
            (!self.accounts.agree(), "the ledger has not one record for each call"),
        ];
        let broken: Vec<_> =
            checks.iter().filter(|(broken, _)| *broken).map(|(_, what)| *what).collect();
        if broken.is_empty() { Ok(()) } else { Err(format!("soak: {}", broken.join("; "))) }
    }

    fn print_acts(&self) {
        let acts: Vec<_> = self.shared.tally.acts().collect();
        for row in acts.chunks(4) {
            let cells =
                row.iter().map(|(act, count)| format!("{:<17}{count:>8}", format!("{act:?}")));
            println!("{}", cells.collect::<Vec<_>>().join("   "));
        }
        for told in self.shared.tally.told() {
            println!("  {told}");
        }
        println!("{}", self.rests);
        for what in &self.left.named {
            println!("  left: {what}");
        }
        println!(
            "{} records, {} calls that reached a tool; {}",
            self.accounts.records,
            self.accounts.reached,
            self.ended.trim_end()
        );
    }
}
