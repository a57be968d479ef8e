//! The one thread that has the connection: it commits what waits in groups.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use rusqlite::Connection;

use super::error::{of_sqlite, unavailable};
use super::log_file::LogFile;
use super::queue::{Place, Queue};
use crate::store::StoreError;

/// How many operations are committed together at most.
const MOST_IN_GROUP: usize = 512;

/// What part of the last commit's time a group waits for those who shared that commit.
const PATIENCE: u32 = 2;

/// What goes through the queue.
pub(super) enum Message {
    Job(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// What an operation does to the file, and what becomes of it when nobody waits for it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// It reads; it is left out.
    Read,
    /// It writes; it is carried out.
    Write,
    /// It writes for whoever waits for it; it is left out.
    Claim,
    /// It destroys keys; it is carried out, and done once the log beside the file is emptied too.
    #[cfg_attr(not(feature = "evidence"), allow(dead_code, reason = "nothing else destroys"))]
    Erase,
}

/// An operation, with whoever waits for it.
pub(super) trait Job: Send {
    fn work(&self) -> Work;

    /// Runs it in the group's transaction; an error says that the transaction is lost.
    fn run(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Answers it, after the commit.
    fn answer(self: Box<Self>, committed: &Result<(), StoreError>);
}

/// A [`Job`] of any type.
pub(super) struct Asked<T, U, F, C> {
    work: Work,
    operation: Option<F>,
    confirm: C,
    result: Option<Result<T, StoreError>>,
    answer: oneshot::Sender<Result<U, StoreError>>,
    _place: Place,
}

/// Starts the thread.
pub(super) fn start(
    connection: Connection,
    log: LogFile,
    most_waiting: usize,
) -> Result<Queue, StoreError> {
    let (sender, messages) = mpsc::channel();
    let writer = Writer { connection, log, messages, pace: Pace::default() };
    thread::Builder::new()
        .name("tool-store".to_owned())
        .spawn(move || writer.run())
        .map_err(|error| unavailable(format!("cannot start the store's thread: {error}")))?;
    Ok(Queue::new(sender, most_waiting))
}

struct Writer {
    connection: Connection,
    log: LogFile,
    messages: Receiver<Message>,
    pace: Pace,
}

/// How the last group went.
///
/// Those who are answered together mostly ask again together. The next group waits for them a
/// part of the time that a commit takes; else the first of them would have a commit for itself,
/// and the others would wait for two.
#[derive(Default)]
struct Pace {
    jobs: usize,
    patience: Duration,
}

/// Operations that are committed together, and who waits for the end, if anybody.
#[derive(Default)]
struct Group {
    jobs: Vec<Box<dyn Job>>,
    closed: Option<oneshot::Sender<()>>,
}

impl Writer {
    fn run(mut self) {
        while let Ok(first) = self.messages.recv() {
            let Group { jobs, closed } = self.gather(first);
            self.serve(jobs);
            if let Some(closed) = closed {
                drop((self.messages, self.connection));
                let _ = closed.send(());
                return;
            }
        }
    }

    /// Takes what waits, and waits a little for those who are about to.
    fn gather(&self, first: Message) -> Group {
        let until = Instant::now() + self.pace.patience;
        let mut group = Group::default();
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Job(job) => group.jobs.push(job),
                Message::Close(closed) => {
                    group.closed = Some(closed);
                    break;
                }
            }
            next = self.next(group.jobs.len(), until);
        }
        group
    }

    fn next(&self, jobs: usize, until: Instant) -> Option<Message> {
        if jobs >= MOST_IN_GROUP {
            return None;
        }
        let waits = self.messages.try_recv().ok();
        if waits.is_some() || jobs >= self.pace.jobs {
            return waits;
        }
        self.messages.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    fn serve(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let committed = self.commit(&mut jobs);
        self.pace.jobs = jobs.len();
        let any_erases = jobs.iter().any(|job| job.work() == Work::Erase);
        let erased =
            if any_erases { committed.clone().and_then(|()| self.empty_log()) } else { Ok(()) };
        for job in jobs {
            let end = if job.work() == Work::Erase { &erased } else { &committed };
            job.answer(end);
        }
    }

    /// Brings the log's pages into the file and cuts it to nothing: it holds pages as they were.
    fn empty_log(&self) -> Result<(), StoreError> {
        let emptied: rusqlite::Result<bool> =
            self.connection.prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)").and_then(
                |mut checkpoint| checkpoint.query_row([], |row| Ok(row.get::<_, i64>(0)? == 0)),
            );
        if emptied.map_err(|error| of_sqlite(&error))? {
            return Ok(());
        }
        Err(unavailable(
            "the keys are destroyed, and others who use the file kept its log from being emptied: \
             repeat it, so that no copy of them is left there",
        ))
    }

    /// Runs a group in one transaction. If it cannot be committed, nothing of it is done.
    fn commit(&mut self, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.log.check()?;
        let writes = jobs.iter().any(|job| job.work() != Work::Read);
        execute(&self.connection, if writes { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
        let committed = jobs
            .iter_mut()
            .try_for_each(|job| job.run(&self.connection))
            .and_then(|()| self.pace.time(|| execute(&self.connection, "COMMIT")));
        if !self.connection.is_autocommit() {
            // If this fails too, the next group's `BEGIN` says why.
            let _ = execute(&self.connection, "ROLLBACK");
        }
        committed.and_then(|()| self.log.check())
    }
}

impl Pace {
    fn time<T>(&mut self, commit: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = commit();
        self.patience = start.elapsed() / PATIENCE;
        result
    }
}

impl<T, U, F, C> Asked<T, U, F, C> {
    pub(super) fn new(
        work: Work,
        operation: F,
        confirm: C,
        answer: oneshot::Sender<Result<U, StoreError>>,
        place: Place,
    ) -> Self {
        Self { work, operation: Some(operation), confirm, result: None, answer, _place: place }
    }
}

impl<T, U, F, C> Job for Asked<T, U, F, C>
where
    T: Send,
    U: Send,
    F: FnOnce(&Connection) -> rusqlite::Result<T> + Send,
    C: FnOnce(T) -> U + Send,
{
    fn work(&self) -> Work {
        self.work
    }

    fn run(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if matches!(self.work, Work::Read | Work::Claim) && self.answer.is_canceled() {
            return Ok(());
        }
        let Some(operation) = self.operation.take() else { return Ok(()) };
        let result = match self.work {
            Work::Read => operation(connection).map_err(|error| of_sqlite(&error)),
            Work::Write | Work::Claim | Work::Erase => apart(connection, operation)?,
        };
        self.result = Some(result);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: &Result<(), StoreError>) {
        let answer = match (committed, self.result) {
            (Err(error), _) => Err(error.clone()),
            (Ok(()), Some(result)) => result.map(self.confirm),
            // Left out, since nobody waits.
            (Ok(()), None) => return,
        };
        // Whoever does not wait any more needs no answer.
        let _ = self.answer.send(answer);
    }
}

/// Runs an operation so that it changes nothing if it fails. The outer error says that the whole
/// transaction is lost, which SQLite decides where a disk is full or broken.
///
/// An operation mostly changes the file by one statement, and SQLite itself undoes a statement that
/// fails. So it needs no savepoint, which on a fast disk costs a fifth of the throughput. One that
/// changes it by several, as a sweep does, takes its group with it where a later one fails.
fn apart<T>(
    connection: &Connection,
    operation: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<Result<T, StoreError>, StoreError> {
    let changes = connection.total_changes();
    let result = operation(connection).map_err(|error| of_sqlite(&error));
    match result {
        Err(error) if connection.is_autocommit() || connection.total_changes() > changes => {
            Err(error)
        }
        result => Ok(result),
    }
}

fn execute(connection: &Connection, statement: &str) -> Result<(), StoreError> {
    let done = connection.prepare_cached(statement).and_then(|mut statement| statement.execute([]));
    done.map(drop).map_err(|error| of_sqlite(&error))
}
