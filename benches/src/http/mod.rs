//! A tool server under load, compared with a hand-written endpoint.
//!
//! The figure is the number of requests per second of the server's processor time, in user space
//! and in the kernel, which does not depend on other load on the machine.

mod by_hand;
mod catalogue;
mod contestant;
mod cores;
mod fastapi;
pub mod mcp;
mod measured;
mod process;
#[cfg(target_env = "gnu")]
pub mod soak;
mod wrk;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::contestant::Contestant;
pub use self::contestant::serve;
use self::fastapi::Environment;
use self::measured::Measured;
use self::process::ServerProcess;
use self::wrk::{CONNECTIONS, Script};
use crate::rates::{median, ratio, text};

const ROUNDS: usize = 15;

/// The key in every request, used or not.
const KEY: &str = "figures-key-0123456789abcdef0123456789";

/// Prints the requests per second of processor time for each server.
///
/// # Errors
/// A server or the client cannot be run, an answer is not a success, or the answers differ.
pub fn print() -> Result<(), String> {
    let lanes = in_folder("http", rounds)?;
    print_table(lanes.iter().map(|lane| (lane.contestant.title(), &lane.measured)));
    println!("{}", summary(&lanes)?);
    Ok(())
}

/// Does something in a temporary folder, which is removed afterwards.
fn in_folder<T>(name: &str, measure: impl FnOnce(&Path) -> Result<T, String>) -> Result<T, String> {
    let folder = std::env::temp_dir().join(format!("{name}-figures-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(text)?;
    let result = measure(&folder);
    fs::remove_dir_all(&folder).map_err(text)?;
    result
}

/// Prints the medians of each server.
fn print_table<'m>(servers: impl Iterator<Item = (&'m str, &'m Measured)>) {
    println!("{CONNECTIONS} connections, median of {ROUNDS} rounds");
    Measured::print_head();
    for (title, measured) in servers {
        measured.print(title);
    }
}

/// One server, and its measurements by round.
struct Lane {
    contestant: Contestant,
    folder: PathBuf,
    /// The Python environment, if it is not this program that serves.
    python: Option<Environment>,
    measured: Measured,
}

impl Lane {
    fn prepare(contestant: Contestant, folder: &Path) -> Result<Self, String> {
        let folder = folder.join(format!("{contestant:?}"));
        fs::create_dir(&folder).map_err(text)?;
        let is_python = contestant == Contestant::FastApi;
        let python = is_python.then(|| fastapi::prepare(&folder)).transpose()?;
        Ok(Self { contestant, folder, python, measured: Measured::default() })
    }

    fn start(&self) -> Result<ServerProcess, String> {
        measured::start(self.command()?)
    }

    fn command(&self) -> Result<Command, String> {
        if let Some(python) = &self.python {
            return Ok(python.command());
        }
        let folder = self.folder.join("served");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(text)?;
        self.contestant.command(&folder)
    }

    fn round(&mut self, script: &Script) -> Result<(), String> {
        let command = self.command()?;
        self.measured.round(command, script)
    }

    fn blame(&self, error: &str) -> String {
        format!("{}: {error}", self.contestant.title())
    }
}

fn rounds(folder: &Path) -> Result<Vec<Lane>, String> {
    let script = Script::write(folder, include_str!("load.lua"))?;
    let mut lanes = Vec::new();
    for contestant in Contestant::ALL {
        match Lane::prepare(contestant, folder) {
            Ok(lane) => lanes.push(lane),
            // It is only for orientation.
            Err(error) if contestant == Contestant::FastApi => println!("left out: {error}"),
            Err(error) => return Err(format!("{}: {error}", contestant.title())),
        }
    }
    compare(&lanes)?;
    for round in 0..ROUNDS {
        for at in 0..lanes.len() {
            let at = (at + round) % lanes.len();
            let measured = lanes[at].round(&script);
            measured.map_err(|error| lanes[at].blame(&error))?;
        }
    }
    Ok(lanes)
}

/// Compares all answers to one request with that of the hand-written handler.
fn compare(lanes: &[Lane]) -> Result<(), String> {
    let [by_hand, others @ ..] = lanes else { return Ok(()) };
    let expected = answer(by_hand)?;
    for lane in others {
        let found = answer(lane)?;
        let is_same = if lane.contestant.is_ours() {
            found == expected
        } else {
            let value = serde_json::from_str::<serde_json::Value>;
            value(&found).map_err(text)? == value(&expected).map_err(text)?
        };
        if !is_same {
            return Err(lane.blame(&format!("answered\n{found}\nand not\n{expected}")));
        }
    }
    println!("answers of {} bytes, the same from all", expected.len());
    Ok(())
}

/// Returns the body of one answer, with the duration replaced by 0.
fn answer(lane: &Lane) -> Result<String, String> {
    const TIME: &str = "\"latency_ms\":";
    let asked = lane.start().and_then(|server| {
        let body = server.ask(&request())?;
        server.end().map(|_| body)
    });
    let body = asked.map_err(|error| lane.blame(&error))?;
    let (head, rest) = body.split_once(TIME).ok_or_else(|| lane.blame("no latency"))?;
    let rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    Ok(format!("{head}{TIME}0{rest}"))
}

/// Returns a call as the client of the load test sends it, on its own connection.
fn request() -> String {
    let body = r#"{"tool_name":"search_content","input":{"query":"tea houses","limit":5},"context":{"tenant_id":"old-town","site_id":"old-town-main","trace_id":"trace-0001"}}"#;
    format!(
        "POST /tools/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nX-Tenant-ID: old-town\r\nX-Site-ID: old-town-main\r\n\
         X-Trace-ID: trace-0001\r\nX-Internal-API-Key: {KEY}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn summary(lanes: &[Lane]) -> Result<String, String> {
    use Contestant::{ByHand, FastApi, JsonLines, Keys, Ours, Sqlite};
    let lane = |wanted| lanes.iter().find(|lane| lane.contestant == wanted);
    let by_hand = lane(ByHand).ok_or("no hand-written server to compare with")?;
    let over = |wanted| {
        lane(wanted).map_or(f64::NAN, |it| ratio(&it.measured.per_cpu, &by_hand.measured.per_cpu))
    };
    let p99 =
        |wanted| lane(wanted).map_or(f64::NAN, |it| ratio(&it.measured.p99, &by_hand.measured.p99));
    let us = |wanted| lane(wanted).map_or(f64::NAN, |it| 1e6 / median(&it.measured.per_cpu));
    Ok(format!(
        "http: vs_axum={:.3} with_ledger={:.3} p99={:.3} with_ledger_sqlite={:.3} \
         p99_with_ledger={:.3} with_keys={:.3} fastapi={:.3} us_by_hand={:.1} us={:.1} us_with_ledger={:.1} \
         us_fastapi={:.1}",
        over(Ours),
        over(JsonLines),
        p99(Ours),
        over(Sqlite),
        p99(JsonLines),
        over(Keys),
        over(FastApi),
        us(ByHand),
        us(Ours),
        us(JsonLines),
        us(FastApi),
    ))
}
