//! The processes of a worker, and the requests that wait for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::Instant;

use crate::builder::WorkerBuilder;
use crate::error::WorkerError;
use crate::launch::Launch;
use crate::process::Process;
use crate::restarts::Restarts;

/// The state that the clones of a worker share.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) launch: Arc<Launch>,
    /// One permit for each request that runs or waits.
    pub(crate) places: Semaphore,
    /// One permit for each process that may run, given to requests in their order.
    pub(crate) turns: Arc<Semaphore>,
    idle: Mutex<Vec<Process>>,
    restarts: Mutex<Restarts>,
    /// Closed when the pool is dropped, which ends the starts that are under way.
    alive: watch::Sender<()>,
}

/// A process that is ready, with its permit.
#[derive(Debug)]
pub(crate) struct ReadyProcess {
    pub(crate) process: Process,
    turn: OwnedSemaphorePermit,
}

type Started = Result<ReadyProcess, WorkerError>;

impl Pool {
    pub(crate) fn new(builder: WorkerBuilder) -> Self {
        Self {
            launch: Arc::new(builder.launch),
            places: Semaphore::new(builder.processes + builder.queue),
            turns: Arc::new(Semaphore::new(builder.processes)),
            idle: Mutex::default(),
            restarts: Mutex::default(),
            alive: watch::Sender::new(()),
        }
    }

    /// Returns an idle process, or starts one.
    ///
    /// The start is a task of its own: a program whose start takes longer than a request waits is
    /// ready for a later one.
    pub(crate) async fn ready_process(self: &Arc<Self>, turn: OwnedSemaphorePermit) -> Started {
        if let Some(process) = self.take_idle() {
            return Ok(ReadyProcess { process, turn });
        }
        lock(&self.restarts).check(Instant::now())?;
        let (sender, started) = oneshot::channel();
        let (launch, alive) = (Arc::clone(&self.launch), self.alive.subscribe());
        tokio::spawn(start(Arc::downgrade(self), launch, alive, turn, sender));
        started.await.unwrap_or_else(|_| Err(WorkerError::start("the host is shutting down")))
    }

    fn take_idle(&self) -> Option<Process> {
        let mut idle = lock(&self.idle);
        while let Some(process) = idle.pop() {
            if !process.has_ended() {
                return Some(process);
            }
        }
        None
    }

    /// Keeps a process for the next request.
    pub(crate) fn put_back(&self, ready: ReadyProcess) {
        let ReadyProcess { process, turn } = ready;
        lock(&self.idle).push(process);
        drop(turn);
    }
}

/// Starts a process for the request behind the sender, or for a later one if that has left.
async fn start(
    pool: Weak<Pool>,
    launch: Arc<Launch>,
    mut alive: watch::Receiver<()>,
    turn: OwnedSemaphorePermit,
    sender: oneshot::Sender<Started>,
) {
    let started = tokio::select! {
        started = Process::start(&launch) => started,
        _ = alive.changed() => return,
    };
    let Some(pool) = pool.upgrade() else { return };
    match &started {
        Ok(_) => lock(&pool.restarts).succeeded(),
        Err(error) => lock(&pool.restarts).failed(error, Instant::now()),
    }
    let started = started.map(|process| ReadyProcess { process, turn });
    if let Err(Ok(ready)) = sender.send(started) {
        pool.put_back(ready);
    }
}

/// Locks a mutex. Nothing panics while one of them is held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
