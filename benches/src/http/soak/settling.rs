//! The resources that an idle server still holds.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::request::{KEY, head};
use super::wire::Wire;
use crate::http::process::ServerProcess;
use crate::rates::text;

/// The longest time until a server is idle.
const PATIENCE: Duration = Duration::from_secs(20);

/// The gauge of the tasks that wait a minute each to record one caller's refusals.
const SUMMARIES: &str = "tool_server_refusal_summaries_pending";

/// The resources of a server, or their growth since it was first idle.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Tasks that have not ended.
    pub(super) tasks: u64,
    /// The sum of its gauges: connections, requests, detached calls, tools' threads.
    pub(super) permits: u64,
    /// Unintended panics.
    pub(super) panics: u64,
    /// Allocated bytes.
    pub(super) live: i64,
    /// The gauges that are not 0.
    pub(super) named: Vec<String>,
    gauges: BTreeMap<String, f64>,
}

impl Left {
    /// Reads a server's resources; reading needs a connection with a request.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    pub(super) async fn of(server: &mut ServerProcess) -> Result<Self, String> {
        let mut gauges = gauges(server.port).await?;
        let summaries = gauges.remove(SUMMARIES).ok_or("expected a gauge of pending summaries")?;
        if gauges.is_empty() {
            return Err("expected `/metrics` to have gauges".to_owned());
        }
        let state = server.inquire("state")?;
        let count = |name: &str| {
            let found = state.split_whitespace().find_map(|word| word.strip_prefix(name));
            found
                .and_then(|it| it.parse::<u64>().ok())
                .ok_or_else(|| format!("a server printed `{state}`"))
        };
        Ok(Self {
            tasks: count("tasks=")?.saturating_sub(summaries as u64),
            panics: count("panics=")?,
            live: i64::try_from(count("live_bytes=")?).map_err(text)?,
            gauges,
            ..Self::default()
        })
    }

    /// Waits until a server holds no more than when it was idle, for a limited time.
    pub(super) async fn settled(server: &mut ServerProcess, idle: &Self) -> Result<Self, String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = Self::of(server).await?.beyond(idle);
            if left.is_nothing() || Instant::now() > until {
                return Ok(left);
            }
            sleep(Duration::from_millis(250)).await;
        }
    }

    /// Returns whether the server holds no more than when it was idle.
    pub(super) fn is_nothing(&self) -> bool {
        self.tasks == 0 && self.permits == 0
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
    fn beyond(mut self, idle: &Self) -> Self {
        self.tasks = self.tasks.saturating_sub(idle.tasks);
        for (name, value) in &self.gauges {
            let beyond = value - idle.gauges.get(name).copied().unwrap_or_default();
            if beyond > 0.0 {
                self.permits += beyond.ceil() as u64;
                self.named.push(format!("{name} is {beyond} above its initial value"));
            }
        }
        self
    }
}

/// Returns all gauges of a server, by name and labels.
async fn gauges(port: u16) -> Result<BTreeMap<String, f64>, String> {
    let mut wire = Wire::connect(port).await.map_err(text)?;
    let headers = format!("X-Internal-API-Key: {KEY}\r\nConnection: close\r\n");
    wire.send(head("GET", "/metrics", 0, &headers).as_bytes()).await.map_err(text)?;
    let answer = wire.answer().await.map_err(text)?;
    let page = String::from_utf8_lossy(&answer.body);
    if answer.status != 200 {
        return Err(format!("`/metrics` answers {}: {page}", answer.status));
    }
    let is_gauge = |line: &&str| line.starts_with("# TYPE ") && line.ends_with(" gauge");
    let names: Vec<_> =
        page.lines().filter(is_gauge).filter_map(|line| line.split(' ').nth(2)).collect();
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ')?;
        let is_one = names.iter().any(|it| name.split('{').next() == Some(it));
        Some((is_one.then(|| name.to_owned())?, value.parse().ok()?))
    };
    Ok(page.lines().filter_map(sample).collect())
}
