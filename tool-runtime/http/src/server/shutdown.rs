//! The graceful shutdown of a server, step by step.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tool_runtime_record::ledger::Ledger;

use super::connection::ShutdownStage;
use super::{ServeError, ServerLimits, ShutdownReport, signal};
use crate::state::drain::Drain;

/// Longest time for the last step: dropping tasks, flushing the ledger.
const FINAL_TIMEOUT: Duration = Duration::from_secs(5);

/// The shutdown of one server.
pub(super) struct Shutdown {
    pub(super) drain: Drain,
    pub(super) limits: Arc<ServerLimits>,
    pub(super) stage: watch::Sender<ShutdownStage>,
    /// True after a second signal: the remaining steps do not wait.
    pub(super) is_forced: bool,
}

impl Shutdown {
    /// Waits for `shutdown`, begins the drain, and waits while connections are still accepted.
    pub(super) async fn wait_for_signal(&mut self, shutdown: impl Future<Output = ()>) {
        shutdown.await;
        self.drain.begin();
        tokio::select! {
            biased;
            () = signal::second_signal() => self.is_forced = true,
            () = sleep(self.limits.drain_delay) => {}
        }
    }

    /// Waits for running requests, cancels the remaining ones, and closes all connections.
    pub(super) async fn complete(mut self, connections: u64) -> Result<ShutdownReport, ServeError> {
        let time = self.limits.shutdown_timeout;
        self.stage.send_replace(ShutdownStage::Graceful);
        let drain = self.drain.clone();
        self.wait(timeout(time, drain.finished())).await;
        let cancelled = drain.count();
        drain.finish();
        self.wait(sleep(self.limits.cancel_timeout)).await;
        let aborted_connections = self.stage.receiver_count();
        self.stage.send_replace(ShutdownStage::Immediate);
        // A handler that blocks its thread cannot be cancelled, so the wait has a limit.
        let _ = timeout(FINAL_TIMEOUT, self.stage.closed()).await;
        flushed(drain.ledger()).await?;
        Ok(ShutdownReport { connections, cancelled, aborted_connections })
    }

    /// Waits until nothing runs, or until `time` completes; returns at once after a second signal.
    async fn wait<T>(&mut self, time: impl Future<Output = T>) {
        if self.is_forced {
            return;
        }
        let settled = async {
            self.stage.closed().await;
            self.drain.idle().await;
        };
        self.is_forced = tokio::select! {
            biased;
            () = settled => false,
            () = signal::second_signal() => true,
            _ = time => false,
        };
    }
}

/// Flushes the ledger.
async fn flushed(ledger: Option<&Ledger>) -> Result<(), ServeError> {
    let Some(ledger) = ledger else { return Ok(()) };
    match timeout(FINAL_TIMEOUT, ledger.flush()).await {
        Ok(flushed) => flushed.map_err(ServeError::ledger),
        Err(_) => Err(ServeError::late_ledger()),
    }
}
