//! The child process: it writes under its keys, and reports each answer.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    IdempotencyStore, PostgresStore, SqliteStore, StoreError, StoreErrorKind,
};

use super::budgets::Payment;
use super::log::{Effect, EffectLog};
use super::point::ArmedTrap;
use super::shop::WriteTool;
use super::{CampaignError, ChildTask, clock_steps, ledgers, shop};

/// The environment variable with a child's [`ChildTask`] as JSON.
pub const TASK_VARIABLE: &str = "TOOL_FAULTS_ORDERS";

/// The environment variable with the URL of the PostgreSQL server, if the stores are there.
pub(super) const POSTGRES_VARIABLE: &str = "TOOL_FAULTS_POSTGRES";

/// The time for which a patient child repeats a call that is running elsewhere.
const MAX_SILENCE: Duration = Duration::from_secs(30);

/// A report about the answer of one write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its key.
    pub key: String,
    /// The run that had the effect, if the write succeeded.
    pub effect: Option<Effect>,
    /// True if the caller was warned that a repeat may not get the answer.
    pub is_warned: bool,
    /// Its error's code and reason, if it failed.
    pub refused: Option<(String, String)>,
}

impl Report {
    /// Returns whether the write was refused for this reason.
    #[must_use]
    pub fn is_refused(&self, reason: &str) -> bool {
        self.refused.as_ref().is_some_and(|(_, said)| said == reason)
    }

    fn of(key: &str, output: &ToolOutput) -> Self {
        let effect = output.data::<Effect>().ok();
        let refused = output.error().map(|error| {
            let reason = error.details().and_then(|details| details.get("reason")?.as_str());
            (error.code().unwrap_or_default().to_owned(), reason.unwrap_or_default().to_owned())
        });
        let is_warned = output.meta_json().contains("could not be stored");
        Self { key: key.to_owned(), effect, is_warned, refused }
    }
}

/// Runs as a child if this process was started as one, and returns whether it was.
///
/// Prints `ready` once it is about to write, then a [`Report`] for each answer.
///
/// # Errors
/// The orders cannot be read, or the store or the log cannot be opened.
pub fn play() -> Result<bool, CampaignError> {
    let Ok(task) = std::env::var(TASK_VARIABLE) else { return Ok(false) };
    let task: ChildTask = serde_json::from_str(&task)?;
    // With threads, so that a store's tasks go on while a trap holds the one that writes.
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let trap = Arc::new(ArmedTrap::new(task.trap, &task.folder));
    let log = EffectLog::open(&task.folder.join("effects.log"), task.downstream)?;
    let store = executor.block_on(open_store(&task))?;
    let mut builder = shop::open(log, store, &trap, task.lease, task.limits)?;
    let ledger = if task.tool.pays() { Some(ledgers::open(&task.folder)?) } else { None };
    if let Some(ledger) = &ledger {
        builder = builder.ledger(ledger);
    }
    let runtime = builder.build()?;
    // Ends the line of the test's own output.
    print_line("");
    print_line("ready");
    executor.block_on(write_all(&runtime, &task, &task.keys));
    for step in &task.clock_steps {
        clock_steps::set(&task.folder, step.offset)?;
        executor.block_on(write_all(&runtime, &task, &step.keys));
    }
    if let Some(ledger) = &ledger {
        executor.block_on(ledger.close())?;
    }
    Ok(true)
}

/// Opens the store of a task: a file in its folder, or a schema of its folder's name on the server that the
/// parent has named.
async fn open_store(task: &ChildTask) -> Result<Arc<dyn IdempotencyStore>, StoreError> {
    let server = std::env::var(POSTGRES_VARIABLE).ok();
    open_store_in(&task.folder, server.as_deref(), task.lease).await
}

/// Opens the store of a folder: a file in it, or a schema of its name on a server.
pub(super) async fn open_store_in(
    folder: &Path,
    server: Option<&str>,
    lease: Duration,
) -> Result<Arc<dyn IdempotencyStore>, StoreError> {
    let Some(server) = server else {
        return Ok(Arc::new(SqliteStore::open(folder.join("tools.db"))?));
    };
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let options = PostgresStore::options()
        .schema(folder.replace('-', "_"))
        .max_connections(2)
        .lock_timeout(lease / 4);
    // The campaign may restart the server, or cut it off.
    let until = Instant::now() + MAX_SILENCE;
    loop {
        match options.clone().connect(server).await {
            Err(error) if error.kind() == StoreErrorKind::Unavailable && Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            opened => return Ok(Arc::new(opened?)),
        }
    }
}

/// Writes a line with one write, so that it is either complete or missing.
pub(super) fn print_line(line: &str) {
    let line = format!("{line}\n");
    // The parent may have stopped reading.
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}

async fn write_all(runtime: &Runtime, task: &ChildTask, keys: &[String]) {
    join_all(keys.iter().map(|key| write(runtime, task, key))).await;
}

async fn write(runtime: &Runtime, task: &ChildTask, key: &str) {
    let until = Instant::now() + MAX_SILENCE;
    let report = loop {
        let report = write_once(runtime, task.tool, key).await;
        // On a busy machine the store or the deadline may not suffice; then the call is repeated too.
        let is_late = report.refused.as_ref().is_some_and(|(code, _)| code == "TIMEOUT");
        let passes = ["in_flight", "store_unavailable"].iter().any(|it| report.is_refused(it));
        if !task.patient || !(passes || is_late) || Instant::now() > until {
            break report;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    print_line(&serde_json::to_string(&report).expect("a report is JSON"));
}

async fn write_once(runtime: &Runtime, tool: WriteTool, key: &str) -> Report {
    let cx = ToolContext::builder(Uuid::nil(), key).run_id("run-1");
    let payment = Payment::under(key);
    let (user, arguments) = match tool {
        WriteTool::Paying | WriteTool::PayingBlindly => (payment.user, payment.arguments()),
        WriteTool::Reconciling | WriteTool::Forwarding | WriteTool::Plain => {
            ("jane", "{}".to_owned())
        }
    };
    let cx = cx.user_id(user).idempotency_key(key).build().expect("the context is whole");
    let mut call = runtime.call(tool.name(), arguments, &cx);
    Report::of(key, call.execute().await)
}
