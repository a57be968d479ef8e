//! The writer thread: runs queued operations on the one connection, with group commits.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use rusqlite::Connection;
use tool_runtime_core::store::StoreError;

use super::error::{store_error, unavailable};
use super::queue::{Queue, QueuePermit};
use super::wal_file::WalFile;

/// The most operations in one commit.
const MAX_GROUP_SIZE: usize = 512;

/// A group waits for this fraction of the last commit's duration for further operations.
const COMMIT_WAIT_DIVISOR: u32 = 2;

/// A message in the queue.
pub(super) enum WriterMessage {
    Job(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// The kind of an operation: its access to the file, and whether it runs if its future was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobKind {
    /// Reads; skipped if its future was dropped.
    Read,
    /// Writes; runs even if its future was dropped.
    Write,
    /// Claims a key for its caller; skipped if its future was dropped.
    Claim,
    /// Destroys keys; runs even if its future was dropped, and ends after the log is truncated.
    #[allow(dead_code, reason = "only the feature `evidence` destroys keys")]
    Erase,
}

/// A queued operation, with the sender of its result.
pub(super) trait Job: Send {
    fn work(&self) -> JobKind;

    /// Runs the operation in the group's transaction; an error means that the transaction is lost.
    fn run(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Sends the result, after the commit.
    fn answer(self: Box<Self>, committed: &Result<(), StoreError>);
}

/// A [`Job`] with its result type.
pub(super) struct QueuedJob<T, U, F, C> {
    work: JobKind,
    operation: Option<F>,
    confirm: C,
    result: Option<Result<T, StoreError>>,
    answer: oneshot::Sender<Result<U, StoreError>>,
    _permit: QueuePermit,
}

/// Starts the writer thread.
pub(super) fn start(
    connection: Connection,
    log: WalFile,
    max_queued: usize,
) -> Result<Queue, StoreError> {
    let (sender, messages) = mpsc::channel();
    let writer = Writer { connection, log, messages, pacing: GroupPacing::default() };
    thread::Builder::new()
        .name("tool-store".to_owned())
        .spawn(move || writer.run())
        .map_err(|error| unavailable(format!("cannot start the store's thread: {error}")))?;
    Ok(Queue::new(sender, max_queued))
}

struct Writer {
    connection: Connection,
    log: WalFile,
    messages: Receiver<WriterMessage>,
    pacing: GroupPacing,
}

/// Measures the last group, to decide how long the next one waits for operations.
///
/// Callers that are answered together mostly send their next operations together. The next group
/// waits for them for a fraction of a commit's duration; otherwise the first operation would get a
/// separate commit, and the others would wait for two.
#[derive(Default)]
struct GroupPacing {
    jobs: usize,
    wait: Duration,
}

/// Operations that are committed together, and the sender for a close, if one was requested.
#[derive(Default)]
struct JobGroup {
    jobs: Vec<Box<dyn Job>>,
    closed: Option<oneshot::Sender<()>>,
}

impl Writer {
    fn run(mut self) {
        while let Ok(first) = self.messages.recv() {
            let JobGroup { jobs, closed } = self.gather(first);
            self.serve(jobs);
            if let Some(closed) = closed {
                drop((self.messages, self.connection));
                let _ = closed.send(());
                return;
            }
        }
    }

    /// Takes the queued operations, and waits briefly for further ones.
    fn gather(&self, first: WriterMessage) -> JobGroup {
        let until = Instant::now() + self.pacing.wait;
        let mut group = JobGroup::default();
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                WriterMessage::Job(job) => group.jobs.push(job),
                WriterMessage::Close(closed) => {
                    group.closed = Some(closed);
                    break;
                }
            }
            next = self.next(group.jobs.len(), until);
        }
        group
    }

    fn next(&self, jobs: usize, until: Instant) -> Option<WriterMessage> {
        if jobs >= MAX_GROUP_SIZE {
            return None;
        }
        let waits = self.messages.try_recv().ok();
        if waits.is_some() || jobs >= self.pacing.jobs {
            return waits;
        }
        self.messages.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    fn serve(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let committed = self.commit(&mut jobs);
        self.pacing.jobs = jobs.len();
        let any_erases = jobs.iter().any(|job| job.work() == JobKind::Erase);
        let erased =
            if any_erases { committed.clone().and_then(|()| self.empty_log()) } else { Ok(()) };
        for job in jobs {
            let end = if job.work() == JobKind::Erase { &erased } else { &committed };
            job.answer(end);
        }
    }

    /// Checkpoints and truncates the log, which contains former versions of pages.
    fn empty_log(&self) -> Result<(), StoreError> {
        let emptied: rusqlite::Result<bool> =
            self.connection.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)").and_then(
                |mut checkpoint| checkpoint.query_row([], |row| Ok(row.get::<_, i64>(0)? == 0)),
            );
        if emptied.map_err(|error| store_error(&error))? {
            return Ok(());
        }
        Err(unavailable(
            "the keys are destroyed, but other connections kept the log from being truncated: repeat \
             the operation, so that no copy of the keys remains in the log",
        ))
    }

    /// Runs a group in one transaction. If the commit fails, no operation takes effect.
    fn commit(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.log.check()?;
        let writes = jobs.iter().any(|job| job.work() != JobKind::Read);
        execute(&self.connection, if writes { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
        let committed = jobs
            .iter_mut()
            .try_for_each(|job| job.run(&self.connection))
            .and_then(|()| self.pacing.time(|| execute(&self.connection, "COMMIT")));
        if !self.connection.is_autocommit() {
            // If this fails too, the next group's `BEGIN` returns the error.
            let _ = execute(&self.connection, "ROLLBACK");
        }
        committed.and_then(|()| self.log.check())
    }
}

impl GroupPacing {
    fn time<T>(&mut self, commit: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = commit();
        self.wait = start.elapsed() / COMMIT_WAIT_DIVISOR;
        result
    }
}

impl<T, U, F, C> QueuedJob<T, U, F, C> {
    pub(super) fn new(
        work: JobKind,
        operation: F,
        confirm: C,
        answer: oneshot::Sender<Result<U, StoreError>>,
        permit: QueuePermit,
    ) -> Self {
        Self { work, operation: Some(operation), confirm, result: None, answer, _permit: permit }
    }
}

impl<T, U, F, C> Job for QueuedJob<T, U, F, C>
where
    T: Send,
    U: Send,
    F: FnOnce(&Connection) -> rusqlite::Result<T> + Send,
    C: FnOnce(T) -> U + Send,
{
    fn work(&self) -> JobKind {
        self.work
    }

    fn run(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if matches!(self.work, JobKind::Read | JobKind::Claim) && self.answer.is_canceled() {
            return Ok(());
        }
        let Some(operation) = self.operation.take() else { return Ok(()) };
        let result = match self.work {
            JobKind::Read => operation(connection).map_err(|error| store_error(&error)),
            JobKind::Write | JobKind::Claim | JobKind::Erase => {
                run_isolated(connection, operation)?
            }
        };
        self.result = Some(result);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: &Result<(), StoreError>) {
        let answer = match (committed, self.result) {
            (Err(error), _) => Err(error.clone()),
            (Ok(()), Some(result)) => result.map(self.confirm),
            // Skipped, because its future was dropped.
            (Ok(()), None) => return,
        };
        // The future may have been dropped.
        let _ = self.answer.send(answer);
    }
}

/// Runs an operation so that it changes nothing if it fails. The outer error means that the whole
/// transaction is lost, which SQLite decides if the disk is full or broken.
///
/// Most operations write with one statement, and SQLite itself undoes a failed statement. They need
/// no savepoint, which on a fast disk costs a fifth of the throughput. If an operation with several
/// statements, such as a sweep, fails after the first, its whole group fails.
fn run_isolated<T>(
    connection: &Connection,
    operation: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<Result<T, StoreError>, StoreError> {
    let changes = connection.total_changes();
    let result = operation(connection).map_err(|error| store_error(&error));
    match result {
        Err(error) if connection.is_autocommit() || connection.total_changes() > changes => {
            Err(error)
        }
        result => Ok(result),
    }
}

fn execute(connection: &Connection, statement: &str) -> Result<(), StoreError> {
    let done = connection.prepare_cached(statement).and_then(|mut statement| statement.execute([]));
    done.map(drop).map_err(|error| store_error(&error))
}
