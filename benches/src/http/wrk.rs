//! The client of the load test: `wrk`, on its own core.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::catalogue::TOPICS;
use super::cores::{self, Core};
use crate::rates::text;

/// The number of open connections.
pub(super) const CONNECTIONS: usize = 64;

/// The results of one run of the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) requests: u64,
    /// Microseconds.
    pub(super) p50: u64,
    /// Microseconds.
    pub(super) p99: u64,
}

/// The script, in a file for `wrk`.
pub(super) struct Script(PathBuf);

impl Script {
    /// Writes a script that makes calls with the topics of the catalogue, and sends them in turn.
    pub(super) fn write(folder: &Path, calls: &str) -> Result<Self, String> {
        let path = folder.join("load.lua");
        let topics: Vec<_> = TOPICS.iter().map(|topic| format!("{topic:?}")).collect();
        let head = format!(
            "local TOPICS = {{ {} }}\nlocal calls = {{}}\nlocal at = 0\n\n",
            topics.join(", ")
        );
        fs::write(&path, [&head, calls, "\n", include_str!("turns.lua")].concat()).map_err(text)?;
        Ok(Self(path))
    }

    /// Loads this port for about this long.
    ///
    /// # Errors
    /// `wrk` cannot be run, or an answer was not a success.
    pub(super) fn load(&self, port: u16, key: &str, time: Duration) -> Result<Seen, String> {
        cores::stay_on(Core::Client)?;
        let output = Command::new("wrk")
            .args(["--threads", "1", "--connections", &CONNECTIONS.to_string()])
            .args(["--duration", &format!("{}s", time.as_secs()), "--timeout", "10s", "--script"])
            .arg(&self.0)
            .args([&format!("http://127.0.0.1:{port}"), "--", key])
            .output()
            .map_err(|error| format!("wrk: {error}; it is the package `wrk` of Debian"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = said.lines().find_map(|line| line.strip_prefix("wrk: "));
        line.and_then(seen).ok_or_else(|| {
            format!(
                "not every answer was a success:\n{said}{}",
                String::from_utf8_lossy(&output.stderr)
            )
        })
    }
}

/// Parses the script's last line; none if an answer was lost or was not 2xx.
fn seen(line: &str) -> Option<Seen> {
    let value = |name: &str| {
        let found = line.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        found?.parse::<u64>().ok()
    };
    let is_whole = value("not_2xx")? == 0 && value("lost")? == 0 && value("requests")? > 0;
    let seen = Seen { requests: value("requests")?, p50: value("p50_us")?, p99: value("p99_us")? };
    is_whole.then_some(seen)
}
