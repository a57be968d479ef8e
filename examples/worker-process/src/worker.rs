//! Sends requests to a program, within their deadlines.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::builder::WorkerBuilder;
use crate::error::WorkerError;
use crate::pool::{Pool, ReadyProcess};

/// A longer deadline is shortened to this one, since the clock ends somewhere.
const LONGEST_DEADLINE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A program that answers requests.
///
/// Its processes are started by requests, and end when the last clone is dropped. Requests need a
/// runtime of tokio with I/O and time.
#[derive(Debug, Clone)]
pub struct Worker {
    pool: Arc<Pool>,
}

impl Worker {
    /// Returns a builder for a program, which is looked for in `PATH` if it is no path.
    pub fn builder(program: impl Into<OsString>) -> WorkerBuilder {
        WorkerBuilder::new(program.into())
    }

    pub(crate) fn new(builder: WorkerBuilder) -> Self {
        Self { pool: Arc::new(Pool::new(builder)) }
    }

    /// Sends a request, and returns its answer.
    ///
    /// Requests wait in their order for a process, which is started if there is none. All of that and
    /// the answer must come within the deadline, counted from now. A start goes on beyond it, so that
    /// a later request finds the program ready.
    ///
    /// # Cancellation
    /// If the future is dropped, the process that has the request is killed.
    ///
    /// # Errors
    /// Returns why there is no answer. After an error the next request may be sent at once; it starts
    /// the program anew if that ended. [`WorkerError::request_was_sent`] tells whether the request may
    /// have had an effect.
    pub async fn request(&self, request: &Value, deadline: Duration) -> Result<Value, WorkerError> {
        let request = request.to_string();
        self.check_length(&request)?;
        let ends = Instant::now() + deadline.min(LONGEST_DEADLINE);
        let _place = self.pool.places.try_acquire().map_err(|_| WorkerError::Busy)?;
        let ready = timeout_at(ends, self.ready_process());
        let mut ready = ready.await.map_err(|_| WorkerError::not_sent(deadline))??;
        match timeout_at(ends, ready.process.exchange(&request)).await {
            Ok(Ok(answer)) => {
                self.pool.put_back(ready);
                Ok(answer)
            }
            Ok(Err(fault)) => Err(ready.process.fail(fault).await),
            Err(_) => {
                let (_, stderr) = ready.process.kill().await;
                Err(WorkerError::Deadline { after: deadline, sent: true, stderr })
            }
        }
    }

    fn check_length(&self, request: &str) -> Result<(), WorkerError> {
        let (bytes, limit) = (request.len(), self.pool.launch.line_limit);
        if bytes > limit { Err(WorkerError::TooLong { bytes, limit }) } else { Ok(()) }
    }

    async fn ready_process(&self) -> Result<ReadyProcess, WorkerError> {
        let turn = Arc::clone(&self.pool.turns).acquire_owned().await;
        let turn = turn.map_err(|_| WorkerError::Busy)?;
        self.pool.ready_process(turn).await
    }
}
