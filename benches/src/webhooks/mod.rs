//! Webhooks from processes that are killed, to receivers that fail, are slow, and answer too late.
//!
//! Processes make calls that wait, decide them or let them expire, and deliver the events. Each call that a process
//! has reported needs one request and one end at each receiver.

mod receivers;
mod sender;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tool_tests::rng::SeededRng;

use self::receivers::{RECEIVERS, Receivers};
pub use self::sender::play;
use crate::rates::text;

/// The default number of deliveries.
const DELIVERIES: usize = 10_000;

/// The processes that run at a time.
const PROCESSES: usize = 3;

/// The delay between two kills, in milliseconds; to each up to as much is added.
const KILL_DELAY_MS: u64 = 150;

/// The longest time without a delivery while events are left, once the processes are killed no more: longer than a lease.
const MAX_STANDSTILL: Duration = Duration::from_secs(60);

/// The end of a call as its process has reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportedEnd {
    /// The process was killed, or left the call to expire.
    None,
    Decided,
}

/// The calls that processes have reported, by their tickets.
type Reported = Arc<Mutex<BTreeMap<String, ReportedEnd>>>;

/// Runs the campaign, and prints the result. With the URL of a PostgreSQL server as the first argument, the events are
/// stored there.
///
/// # Errors
/// The number cannot be read, a process cannot be started, or a promise is broken.
pub fn print(arguments: &[&str]) -> Result<(), String> {
    let (url, arguments) = match arguments {
        [url, arguments @ ..] if url.starts_with("postgres") => (Some(*url), arguments),
        arguments => (None, arguments),
    };
    let deliveries = match arguments {
        [] => DELIVERIES,
        [deliveries] => deliveries.parse().map_err(|error| format!("{deliveries}: {error}"))?,
        _ => return Err("expected a server's URL or none, and the number of deliveries".to_owned()),
    };
    let folder = std::env::temp_dir().join(format!("webhook-figures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(text)?;
    let place = match url {
        Some(url) => format!("{url} figures_webhooks_{}", std::process::id()),
        None => folder.join("events.db").to_string_lossy().into_owned(),
    };
    let result = Campaign::start(place, deliveries).and_then(Campaign::run);
    std::fs::remove_dir_all(&folder).map_err(text)?;
    result
}

struct Campaign {
    place: String,
    deliveries: usize,
    receivers: Receivers,
    reported: Reported,
    rng: SeededRng,
    processes: Vec<Child>,
    started: u64,
    kills: u32,
}

impl Campaign {
    fn start(place: String, deliveries: usize) -> Result<Self, String> {
        Ok(Self {
            place,
            deliveries,
            receivers: Receivers::start()?,
            reported: Reported::default(),
            rng: SeededRng::new(11),
            processes: Vec::new(),
            started: 0,
            kills: 0,
        })
    }

    fn run(mut self) -> Result<(), String> {
        let begun = Instant::now();
        for _ in 0..PROCESSES {
            self.spawn("make")?;
        }
        while self.receivers.receipts().deliveries() < self.deliveries {
            thread::sleep(Duration::from_millis(KILL_DELAY_MS + self.rng.below(KILL_DELAY_MS)));
            self.kill_one()?;
            self.spawn("make")?;
            if begun.elapsed() > Duration::from_secs(60 * 60) {
                return Err("the deliveries were not made within an hour".to_owned());
            }
        }
        while !self.processes.is_empty() {
            self.kill_one()?;
        }
        self.spawn("deliver")?;
        let (mut deliveries, mut progress) = (0, Instant::now());
        while self.findings().lost > 0 && progress.elapsed() < MAX_STANDSTILL {
            thread::sleep(Duration::from_millis(500));
            let now = self.receivers.receipts().deliveries();
            if now > deliveries {
                (deliveries, progress) = (now, Instant::now());
            }
        }
        // A duplicate delivery would have arrived by now.
        thread::sleep(Duration::from_secs(2));
        while !self.processes.is_empty() {
            self.kill_one()?;
        }
        let findings = self.findings();
        let (receipts, calls) = (self.receivers.receipts(), self.reported().len());
        println!("{:<10}{:>12}{:>12}{:>12}", "receiver", "requests", "failed", "delivered");
        for receiver in RECEIVERS {
            let [requests, failed, delivered] = receipts.counts(receiver);
            println!("{receiver:<10}{requests:>12}{failed:>12}{delivered:>12}");
        }
        let Findings { lost, decided_twice, altered } = findings;
        let repeated = receipts.repeated();
        println!(
            "webhooks: lost={lost} decided_twice={decided_twice} altered={altered} \
             deliveries={} repeated={repeated} calls={calls} kills={} seconds={}",
            receipts.deliveries(),
            self.kills,
            begun.elapsed().as_secs()
        );
        if findings == Findings::default() { Ok(()) } else { Err("a promise is broken".to_owned()) }
    }

    /// Compares the receipts with the calls that were reported.
    fn findings(&self) -> Findings {
        let (reported, receipts) = (self.reported().clone(), self.receivers.receipts());
        let mut findings = Findings { altered: receipts.altered, ..Findings::default() };
        for receiver in RECEIVERS {
            for (ticket, end) in &reported {
                let ids = |types: &[&str]| -> BTreeSet<&str> {
                    types.iter().flat_map(|it| receipts.ids(receiver, ticket, it)).collect()
                };
                let requested = ids(&["approval.requested"]);
                let (decided, expired) = (ids(&["approval.decided"]), ids(&["approval.expired"]));
                let ends = decided.len() + expired.len();
                let missing_end = match end {
                    ReportedEnd::Decided => decided.is_empty(),
                    ReportedEnd::None => ends == 0,
                };
                findings.lost += usize::from(requested.is_empty()) + usize::from(missing_end);
                findings.decided_twice +=
                    ends.saturating_sub(1) + requested.len().saturating_sub(1);
            }
        }
        findings
    }

    /// Starts a process that makes calls and delivers their events, or delivers alone.
    fn spawn(&mut self, work: &str) -> Result<(), String> {
        self.started += 1;
        let program = std::env::current_exe().map_err(text)?;
        let mut child = Command::new(program)
            .args(["webhooks-child", work, &self.place, self.receivers.url()])
            .arg(self.started.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(text)?;
        let output = child.stdout.take().ok_or("a child has a pipe")?;
        let reported = self.reported.clone();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Some((event, ticket)) = line.split_once(' ') else { continue };
                let end = if event == "decided" { ReportedEnd::Decided } else { ReportedEnd::None };
                let mut reported = reported.lock().unwrap_or_else(PoisonError::into_inner);
                let known_end = reported.entry(ticket.to_owned()).or_insert(end);
                if end == ReportedEnd::Decided {
                    *known_end = end;
                }
            }
        });
        self.processes.push(child);
        Ok(())
    }

    fn kill_one(&mut self) -> Result<(), String> {
        let index = self.rng.index(self.processes.len());
        let mut child = self.processes.swap_remove(index);
        if child.try_wait().map_err(text)?.is_some() {
            return Err("a process has ended by itself".to_owned());
        }
        child.kill().map_err(text)?;
        child.wait().map_err(text)?;
        self.kills += 1;
        Ok(())
    }

    fn reported(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, ReportedEnd>> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Campaign {
    fn drop(&mut self) {
        for child in &mut self.processes {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The broken promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Findings {
    /// Events of reported calls that a receiver has not got.
    lost: usize,
    /// Further events about the request or the end of one call.
    decided_twice: usize,
    /// Deliveries under one id with different bodies, or a wrong signature.
    altered: usize,
}
