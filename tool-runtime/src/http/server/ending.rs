//! The end of a server, step by step.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::connection::Stage;
use super::{Ended, ServeError, ServerLimits, signal};
use crate::http::Drain;
use crate::ledger::Ledger;

/// Longest time for what nothing more can be done about: tasks that are being dropped, a ledger.
const LAST: Duration = Duration::from_secs(5);

/// Leads a server to its end.
pub(super) struct Ending {
    pub(super) drain: Drain,
    pub(super) limits: Arc<ServerLimits>,
    pub(super) stage: watch::Sender<Stage>,
    /// Whether a second signal has come.
    pub(super) hurried: bool,
}

impl Ending {
    /// Waits for the word to end, and passes it on while connections are still taken.
    pub(super) async fn announced(&mut self, shutdown: impl Future<Output = ()>) {
        shutdown.await;
        self.drain.begin();
        tokio::select! {
            biased;
            () = signal::again() => self.hurried = true,
            () = sleep(self.limits.notice) => {}
        }
    }

    /// Lets what runs come to its end, cancels what does not, and closes what is left.
    pub(super) async fn ended(mut self, connections: u64) -> Result<Ended, ServeError> {
        let grace = self.limits.grace;
        self.stage.send_replace(Stage::Ending);
        let drain = self.drain.clone();
        self.wait(timeout(grace, drain.over())).await;
        let cancelled = drain.count();
        drain.finish();
        self.wait(sleep(self.limits.farewell)).await;
        let cut = self.stage.receiver_count();
        self.stage.send_replace(Stage::Cut);
        // A handler that blocks its thread cannot be waited for.
        let _ = timeout(LAST, self.stage.closed()).await;
        flushed(drain.ledger()).await?;
        Ok(Ended { connections, cancelled, cut })
    }

    /// Waits until nothing runs, as long as there is time; not at all once the host is in a hurry.
    async fn wait<T>(&mut self, time: impl Future<Output = T>) {
        if self.hurried {
            return;
        }
        let settled = async {
            self.stage.closed().await;
            self.drain.idle().await;
        };
        self.hurried = tokio::select! {
            biased;
            () = settled => false,
            () = signal::again() => true,
            _ = time => false,
        };
    }
}

/// Waits until the calls that have ended are written.
async fn flushed(ledger: Option<&Ledger>) -> Result<(), ServeError> {
    let Some(ledger) = ledger else { return Ok(()) };
    match timeout(LAST, ledger.flush()).await {
        Ok(flushed) => flushed.map_err(ServeError::ledger),
        Err(_) => Err(ServeError::late_ledger()),
    }
}
