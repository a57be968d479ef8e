//! The transaction that a tool borrows: its statements, and their commit together with the settlement of its key.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use rusqlite::Connection;
use tool_runtime_core::store::{
    CommitOutcome, KeyAnswer, Settlement, StoreError, StoreErrorKind, StoreTransaction,
};
use tool_runtime_core::{CallScope, Failure, FromCall};

use crate::checksum::RowKeys;
use crate::error::{store_error, unavailable};
use crate::queue::Queue;
use crate::settle;
use crate::transaction_error::SqliteTransactionError;
use crate::writer::JobKind;

/// The most pieces of work in a transaction. Each new one repeats the earlier ones.
const MAX_PIECES: usize = 16;

/// A piece of work that runs again; returns whether its result is still the first one.
type Repeat = Arc<dyn Fn(&Connection) -> rusqlite::Result<bool> + Send + Sync>;

/// A transaction in the file of a [`SqliteStore`](crate::SqliteStore), which a write borrows for its effect: it is
/// committed together with the answer under the call's idempotency key.
///
/// A tool takes `&SqliteTransaction`, under a policy with the store, and the tables of its effect are in the store's
/// file: [`SqliteStore::open`](crate::SqliteStore::open) creates the file, and the host adds its tables. After a crash
/// at any point, the effect and the stored answer are both there, or neither. A repeat of the call gets the answer, or
/// runs the tool again. This holds for what the transaction does: whatever else the tool does may happen twice.
///
/// SQLite has one writer, and a tool that waits must not keep the others from writing. So [`run`](Self::run) rehearses
/// its work: it runs it, returns the result, and undoes the changes. When the tool has answered, all of its work runs
/// again and is committed with the answer, in one transaction. If a result is another one by then, because another
/// call has changed the same rows, nothing is committed: the call fails as `UNAVAILABLE`, and may be repeated.
///
/// # Example
/// ```no_run
/// use tool_runtime::prelude::*;
/// use tool_runtime::store::{SqliteTransaction, SqliteTransactionError};
///
/// /// Moves money from one account to another.
/// #[ai_tool(effect = "write", preview = show_transfer)]
/// async fn transfer(
///     tx: &SqliteTransaction,
///     /// The account that pays.
///     from: i64,
///     /// The account that receives.
///     to: i64,
///     /// The amount in cents.
///     #[arg(range(1..=1_000_000))]
///     cents: i64,
/// ) -> Result<i64, SqliteTransactionError> {
///     tx.run(move |connection| {
///         connection.execute("UPDATE accounts SET cents = cents + ?1 WHERE id = ?2", [cents, to])?;
///         connection.query_row(
///             "UPDATE accounts SET cents = cents - ?1 WHERE id = ?2 RETURNING cents",
///             [cents, from],
///             |row| row.get("cents"),
///         )
///     })
///     .await
/// }
///
/// async fn show_transfer(_: &SqliteTransaction, from: i64, to: i64, cents: i64) -> String {
///     format!("{cents} cents from {from} to {to}")
/// }
/// ```
#[derive(Clone)]
pub struct SqliteTransaction(Arc<TransactionState>);

struct TransactionState {
    queue: Queue,
    row_keys: RowKeys,
    phase: Mutex<Phase>,
}

enum Phase {
    /// The work that was rehearsed, in order.
    Open(Vec<Repeat>),
    Ended,
}

/// The end of a transaction's work in the writer's thread.
enum WorkEnd {
    Settled { is_held: bool },
    Changed,
}

impl SqliteTransaction {
    pub(crate) fn new(queue: &Queue, row_keys: &RowKeys) -> Self {
        let phase = Mutex::new(Phase::Open(Vec::new()));
        let (queue, row_keys) = (queue.clone(), row_keys.clone());
        Self(Arc::new(TransactionState { queue, row_keys, phase }))
    }

    /// Runs statements after the transaction's earlier ones, and returns their result.
    ///
    /// The work runs at least twice: now, and when the call is settled. It must change nothing but the file, and
    /// return the same result from the same rows. It runs on the store's only thread, so that all other calls wait for
    /// it. A transaction has at most 16 pieces of work.
    ///
    /// # Errors
    /// Returns the error of the work, or that the store did not run it.
    pub async fn run<T, F>(&self, work: F) -> Result<T, SqliteTransactionError>
    where
        T: PartialEq + Clone + Send + Sync + 'static,
        F: Fn(&Connection) -> rusqlite::Result<T> + Send + Sync + 'static,
    {
        let earlier = match &*self.0.lock() {
            Phase::Open(pieces) if pieces.len() < MAX_PIECES => pieces.clone(),
            Phase::Open(_) => {
                let log = format!("a transaction has at most {MAX_PIECES} pieces of work");
                let error = StoreError::new(StoreErrorKind::Damaged, log);
                return Err(SqliteTransactionError::Store(error));
            }
            Phase::Ended => return Err(SqliteTransactionError::Ended),
        };
        let count = earlier.len();
        let work = Arc::new(work);
        let rehearsed = work.clone();
        let rehearse = move |connection: &Connection| {
            undone(connection, |connection| {
                for piece in &earlier {
                    piece(connection)?;
                }
                rehearsed(connection)
            })
        };
        let result = self.0.queue.run(JobKind::Write, rehearse).await;
        let result = result.map_err(SqliteTransactionError::Store)?;
        let result = result.map_err(SqliteTransactionError::Statement)?;
        let first = result.clone();
        let repeat: Repeat = Arc::new(move |connection| Ok(work(connection)? == first));
        match &mut *self.0.lock() {
            Phase::Open(pieces) if pieces.len() == count => pieces.push(repeat),
            Phase::Open(_) => {
                let log = "two pieces of work ran at once: their order is not known";
                let error = StoreError::new(StoreErrorKind::Damaged, log);
                return Err(SqliteTransactionError::Store(error));
            }
            Phase::Ended => return Err(SqliteTransactionError::Ended),
        }
        Ok(result)
    }
}

impl TransactionState {
    /// Ends the use of the transaction; returns its work.
    fn end(&self) -> Vec<Repeat> {
        match std::mem::replace(&mut *self.lock(), Phase::Ended) {
            Phase::Open(pieces) => pieces,
            Phase::Ended => Vec::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl StoreTransaction for SqliteTransaction {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn has_begun(&self) -> bool {
        matches!(&*self.0.lock(), Phase::Open(pieces) if !pieces.is_empty())
    }

    async fn commit(&self, settlement: Option<KeyAnswer>) -> CommitOutcome {
        let (pieces, row_keys) = (self.0.end(), self.0.row_keys.clone());
        let commit = move |connection: &Connection| {
            all_or_nothing(connection, |connection| {
                for piece in &pieces {
                    if !piece(connection)? {
                        return Ok(WorkEnd::Changed);
                    }
                }
                let Some(settled) = &settlement else {
                    return Ok(WorkEnd::Settled { is_held: true });
                };
                let answered = Settlement::Answered {
                    answer: settled.answer.clone(),
                    keep_until: settled.keep_until,
                };
                let (key, fence) = (&settled.key, settled.fence);
                let is_held =
                    settle::settle(connection, &row_keys, key, fence, &answered, &settled.charge)?;
                Ok(WorkEnd::Settled { is_held })
            })
        };
        match self.0.queue.run(JobKind::Write, commit).await {
            Ok(Ok(WorkEnd::Settled { is_held: true })) => CommitOutcome::Committed,
            Ok(Ok(WorkEnd::Settled { is_held: false })) => CommitOutcome::NotHeld,
            Ok(Ok(WorkEnd::Changed)) => CommitOutcome::RolledBack(unavailable(
                "another call has changed the rows of the transaction since the tool read them",
            )),
            Ok(Err(error)) => CommitOutcome::RolledBack(store_error(&error)),
            // The commit itself may have failed on the way to the disk.
            Err(error) => CommitOutcome::Unknown(error),
        }
    }

    fn roll_back(&self) {
        drop(self.0.end());
    }
}

/// Runs work, and undoes its changes.
fn undone<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<rusqlite::Result<T>> {
    connection.execute_batch("SAVEPOINT tool_effect")?;
    let result = work(connection);
    connection.execute_batch("ROLLBACK TO tool_effect; RELEASE tool_effect")?;
    Ok(result)
}

/// Runs work, and undoes its changes unless it has settled the key.
fn all_or_nothing(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<WorkEnd>,
) -> rusqlite::Result<rusqlite::Result<WorkEnd>> {
    connection.execute_batch("SAVEPOINT tool_effect")?;
    let result = work(connection);
    let end = match &result {
        Ok(WorkEnd::Settled { is_held: true }) => "RELEASE tool_effect",
        Ok(WorkEnd::Settled { is_held: false } | WorkEnd::Changed) | Err(_) => {
            "ROLLBACK TO tool_effect; RELEASE tool_effect"
        }
    };
    connection.execute_batch(end)?;
    Ok(result)
}

impl FromCall for SqliteTransaction {
    const IS_TRANSACTION: bool = true;

    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        call.transaction::<Self>().map(|transaction| Self::clone(&transaction))
    }
}

impl fmt::Debug for SqliteTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteTransaction").finish_non_exhaustive()
    }
}
