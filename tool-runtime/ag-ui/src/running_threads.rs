//! The threads whose runs are in progress, so that each has one, and a caller has its share.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::problem::InputRefusal;
use crate::run_store::ThreadKey;

/// The threads whose runs are in progress in this process.
#[derive(Debug)]
pub(crate) struct RunningThreads {
    threads: Mutex<ThreadTable>,
    /// Notified when the last run has ended.
    ended: Notify,
    max_runs: usize,
    max_runs_of_caller: usize,
}

#[derive(Debug, Default)]
struct ThreadTable {
    by_caller: HashMap<(Uuid, Box<str>), HashSet<Box<str>>>,
    runs: usize,
}

/// The place of one run; dropping it frees the thread.
#[derive(Debug)]
pub(crate) struct RunningThread {
    threads: Arc<RunningThreads>,
    key: ThreadKey,
}

impl RunningThreads {
    pub(crate) fn new(max_runs: usize, max_runs_of_caller: usize) -> Arc<Self> {
        let (threads, ended) = (Mutex::default(), Notify::new());
        Arc::new(Self { threads, ended, max_runs, max_runs_of_caller })
    }

    /// Begins a run of a thread.
    pub(crate) fn begin(self: &Arc<Self>, key: &ThreadKey) -> Result<RunningThread, InputRefusal> {
        let caller = (key.tenant(), Box::from(key.principal()));
        let mut table = self.lock();
        let threads = table.by_caller.get(&caller);
        if threads.is_some_and(|threads| threads.contains(key.thread())) {
            let message = "a run of this thread is in progress; wait for its end, and send again";
            return Err(InputRefusal::new(StatusCode::CONFLICT, "thread_busy", message));
        }
        if threads.map_or(0, HashSet::len) >= self.max_runs_of_caller {
            let message = "the caller has too many runs; wait for the end of one, and send again";
            return Err(InputRefusal::new(StatusCode::TOO_MANY_REQUESTS, "busy_caller", message));
        }
        if table.runs >= self.max_runs {
            let message = "the server has too many runs; send again later";
            return Err(InputRefusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message));
        }
        table.runs += 1;
        table.by_caller.entry(caller).or_default().insert(key.thread().into());
        drop(table);
        Ok(RunningThread { threads: self.clone(), key: key.clone() })
    }

    /// Waits until no run is in progress.
    pub(crate) async fn idle(&self) {
        loop {
            let last_run_ended = self.ended.notified();
            if self.lock().runs == 0 {
                return;
            }
            last_run_ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, ThreadTable> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningThread {
    fn drop(&mut self) {
        let mut table = self.threads.lock();
        let caller = (self.key.tenant(), Box::from(self.key.principal()));
        if let Some(threads) = table.by_caller.get_mut(&caller) {
            threads.remove(self.key.thread());
            if threads.is_empty() {
                table.by_caller.remove(&caller);
            }
        }
        table.runs -= 1;
        if table.runs == 0 {
            self.threads.ended.notify_waiters();
        }
    }
}
