//! A server of the Model Context Protocol under load, compared with rmcp's own.
//!
//! The figure is the number of requests per second of the server's processor time, as for the HTTP API.

mod contestant;
mod rmcp_server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use self::contestant::Contestant;
pub use self::contestant::serve;
use super::measured::{self, Measured};
use super::wrk::Script;
use super::{ROUNDS, in_folder, print_table};
use crate::rates::{median, ratio, text};

/// Prints the requests per second of processor time for each server.
///
/// # Errors
/// A server or the client cannot be run, an answer is not a success, or the answers differ.
pub fn print() -> Result<(), String> {
    let lanes = in_folder("mcp", rounds)?;
    print_table(lanes.iter().map(|lane| (lane.contestant.title(), &lane.measured)));
    println!("{}", summary(&lanes)?);
    Ok(())
}

/// One server, and its measurements by round.
struct Lane {
    contestant: Contestant,
    folder: PathBuf,
    measured: Measured,
}

impl Lane {
    fn new(contestant: Contestant, folder: &Path) -> Self {
        let folder = folder.join(format!("{contestant:?}"));
        Self { contestant, folder, measured: Measured::default() }
    }

    /// Returns the command of a server whose folder is empty.
    fn command(&self) -> Result<Command, String> {
        let _ = fs::remove_dir_all(&self.folder);
        fs::create_dir(&self.folder).map_err(text)?;
        self.contestant.command(&self.folder)
    }

    /// Returns the answer to one call.
    fn answer(&self) -> Result<Value, String> {
        let server = measured::start(self.command()?)?;
        let body = server.ask(&request())?;
        server.end()?;
        let answer: Value = serde_json::from_str(&body).map_err(text)?;
        let data = answer.pointer("/result/structuredContent");
        data.cloned().ok_or_else(|| format!("expected structured content: {body}"))
    }

    fn blame(&self, error: &str) -> String {
        format!("{}: {error}", self.contestant.title())
    }
}

fn rounds(folder: &Path) -> Result<Vec<Lane>, String> {
    let script = Script::write(folder, include_str!("load.lua"))?;
    let mut lanes = Contestant::ALL.map(|contestant| Lane::new(contestant, folder));
    compare(&lanes)?;
    for round in 0..ROUNDS {
        for at in 0..lanes.len() {
            let lane = &mut lanes[(at + round) % Contestant::ALL.len()];
            let measured = lane.command().and_then(|it| lane.measured.round(it, &script));
            measured.map_err(|error| lane.blame(&error))?;
        }
    }
    Ok(lanes.into())
}

/// Compares the data of all answers to one call.
fn compare(lanes: &[Lane]) -> Result<(), String> {
    let answer = |lane: &Lane| lane.answer().map_err(|error| lane.blame(&error));
    let [rmcp, others @ ..] = lanes else { return Ok(()) };
    let expected = answer(rmcp)?;
    for lane in others {
        let found = answer(lane)?;
        if found != expected {
            return Err(lane.blame(&format!("answered\n{found}\nand not\n{expected}")));
        }
    }
    println!("structured content of {} bytes, the same from all", expected.to_string().len());
    Ok(())
}

/// Returns a call as the client of the load test sends it, on its own connection.
fn request() -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_content","arguments":{"query":"tea houses","limit":5},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"figures","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: search_content\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn summary(lanes: &[Lane]) -> Result<String, String> {
    let per_cpu = |wanted| {
        let lane = lanes.iter().find(|lane| lane.contestant == wanted);
        lane.map(|lane| &lane.measured.per_cpu).ok_or("a server was not measured")
    };
    let (rmcp, ours) = (per_cpu(Contestant::Rmcp)?, per_cpu(Contestant::Ours)?);
    let audited = per_cpu(Contestant::Audited)?;
    let us = |of: &[f64]| 1e6 / median(of);
    Ok(format!(
        "mcp: vs_rmcp={:.3} vs_rmcp_audited={:.3} us_rmcp={:.1} us={:.1} us_audited={:.1}",
        ratio(ours, rmcp),
        ratio(audited, rmcp),
        us(rmcp),
        us(ours),
        us(audited),
    ))
}
