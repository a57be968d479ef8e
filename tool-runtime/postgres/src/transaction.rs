//! The transaction that a tool borrows: its statements, and its commit together with the settlement of its key.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::join;
use tokio::sync::{OnceCell, OwnedSemaphorePermit};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::{
    CommitOutcome, KeyAnswer, StoreError, StoreTransaction, TransactionScope,
};
use tool_runtime_core::{CallScope, Failure, FromCall};
use uuid::Uuid;

use crate::columns::column;
use crate::database::{Checkout, Database, FailedTransaction, RowScope};
use crate::error::{damaged, unavailable};
use crate::settle;
use crate::transaction_error::PostgresTransactionError;

const MARKER: &str =
    "SELECT coalesce(current_setting('tool_runtime.transaction', true), '') AS marker";

/// A transaction in the database of a [`PostgresStore`](crate::PostgresStore), which a write borrows for its effect: it
/// is committed together with the answer under the call's idempotency key.
///
/// A tool takes `&PostgresTransaction`, under a policy with the store. After a crash at any point, the effect and the
/// stored answer are both there, or neither; a repeat of the call gets the answer, or runs the tool again, and the outcome
/// is never unknown. This holds for what the transaction does: whatever else the tool does, such as a request to
/// another service, may happen twice.
///
/// | the tool | the transaction |
/// | --- | --- |
/// | returns `Ok` | is committed, with the answer under its key |
/// | returns an error, panics, passes its deadline, is cancelled | is rolled back, before the key is settled |
/// | returns `Ok` in a dry run | is rolled back |
/// | is tried again | is rolled back, and another one begins |
///
/// It begins with the first statement. Its tenant is set (`tool_runtime.tenant`), so that policies of row-level
/// security may use it; its statements and its locks have the store's time limits. Half of the store's connections are
/// for transactions of tools. Do not end it with a statement: the call's outcome is unknown then.
///
/// # Cancellation
/// A statement whose future is dropped may still be executed, within the transaction.
///
/// # Example
/// ```no_run
/// use tool_runtime::prelude::*;
/// use tool_runtime::store::{PostgresTransaction, PostgresTransactionError};
///
/// /// Moves money from one account to another.
/// #[ai_tool(effect = "write", preview = show_transfer)]
/// async fn transfer(
///     tx: &PostgresTransaction,
///     /// The account that pays.
///     from: i64,
///     /// The account that receives.
///     to: i64,
///     /// The amount in cents.
///     #[arg(range(1..=1_000_000))]
///     cents: i64,
/// ) -> Result<i64, PostgresTransactionError> {
///     const PAY: &str = "UPDATE accounts SET cents = cents - $1 WHERE id = $2 RETURNING cents";
///     let balance = tx.query_one(PAY, &[&cents, &from]).await?.get("cents");
///     tx.execute("UPDATE accounts SET cents = cents + $1 WHERE id = $2", &[&cents, &to]).await?;
///     Ok(balance)
/// }
///
/// async fn show_transfer(_: &PostgresTransaction, from: i64, to: i64, cents: i64) -> String {
///     format!("{cents} cents from {from} to {to}")
/// }
/// ```
#[derive(Clone)]
pub struct PostgresTransaction(Arc<TransactionState>);

struct TransactionState {
    database: Database,
    scope: TransactionScope,
    begun: OnceCell<()>,
    phase: Mutex<Phase>,
}

enum Phase {
    New,
    Open(Arc<OpenTransaction>),
    Ended,
}

/// A transaction on its connection. A statement holds it, so that it is committed only if none is running.
struct OpenTransaction {
    connection: Checkout,
    /// Set for the transaction alone, so that its absence shows that the tool has ended it.
    marker: String,
    _permit: OwnedSemaphorePermit,
}

impl PostgresTransaction {
    pub(crate) fn new(database: &Database, scope: TransactionScope) -> Self {
        let (begun, phase) = (OnceCell::new(), Mutex::new(Phase::New));
        Self(Arc::new(TransactionState { database: database.clone(), scope, begun, phase }))
    }

    /// Runs a statement, and returns the number of rows that it has changed.
    ///
    /// # Errors
    /// Returns the server's error, or that no connection was free in time.
    pub async fn execute(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, PostgresTransactionError> {
        let transaction = self.open().await?;
        Ok(transaction.client()?.execute(statement, parameters).await?)
    }

    /// Runs a statement, and returns its rows.
    ///
    /// # Errors
    /// Returns the errors of [`execute`](Self::execute).
    pub async fn query(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, PostgresTransactionError> {
        let transaction = self.open().await?;
        Ok(transaction.client()?.query(statement, parameters).await?)
    }

    /// Runs a statement, and returns its only row.
    ///
    /// # Errors
    /// Returns the errors of [`execute`](Self::execute), or that there is not exactly one row.
    pub async fn query_one(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, PostgresTransactionError> {
        let transaction = self.open().await?;
        Ok(transaction.client()?.query_one(statement, parameters).await?)
    }

    /// Runs a statement, and returns its only row, or none.
    ///
    /// # Errors
    /// Returns the errors of [`execute`](Self::execute), or that there is more than one row.
    pub async fn query_opt(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, PostgresTransactionError> {
        let transaction = self.open().await?;
        Ok(transaction.client()?.query_opt(statement, parameters).await?)
    }

    /// Returns the transaction, which begins if this is its first use.
    async fn open(&self) -> Result<Arc<OpenTransaction>, PostgresTransactionError> {
        let state = &*self.0;
        state.begun.get_or_try_init(|| state.begin()).await?;
        match &*state.lock() {
            Phase::Open(transaction) => Ok(transaction.clone()),
            Phase::New | Phase::Ended => Err(PostgresTransactionError::Ended),
        }
    }
}

impl TransactionState {
    async fn begin(&self) -> Result<(), PostgresTransactionError> {
        if matches!(*self.lock(), Phase::Ended) {
            return Err(PostgresTransactionError::Ended);
        }
        let permit =
            self.database.permit_of_tool().await.map_err(PostgresTransactionError::Connection)?;
        let connection =
            self.database.checkout().await.map_err(PostgresTransactionError::Connection)?;
        let marker = Uuid::new_v4().to_string();
        // A process that was stopped holds no locks for longer than its call would have.
        let idle_limit =
            i32::try_from(self.scope.time_limit.as_millis()).unwrap_or(i32::MAX).max(1);
        let begin = format!(
            "{}; SET LOCAL idle_in_transaction_session_timeout = {idle_limit}; \
             SET LOCAL tool_runtime.transaction = '{marker}'",
            self.database.settings().begin(RowScope::Tenant(self.scope.tenant)),
        );
        connection
            .client()
            .map_err(PostgresTransactionError::Connection)?
            .batch_execute(&begin)
            .await?;
        let mut phase = self.lock();
        if matches!(*phase, Phase::Ended) {
            return Err(PostgresTransactionError::Ended);
        }
        *phase = Phase::Open(Arc::new(OpenTransaction { connection, marker, _permit: permit }));
        Ok(())
    }

    /// Ends the use of the transaction; returns it if it has begun.
    fn end(&self) -> Option<Arc<OpenTransaction>> {
        match std::mem::replace(&mut *self.lock(), Phase::Ended) {
            Phase::Open(transaction) => Some(transaction),
            Phase::New | Phase::Ended => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl StoreTransaction for PostgresTransaction {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn has_begun(&self) -> bool {
        matches!(*self.0.lock(), Phase::Open(_))
    }

    async fn commit(&self, settlement: Option<KeyAnswer>) -> CommitOutcome {
        let Some(transaction) = self.0.end() else {
            return CommitOutcome::RolledBack(unavailable("the transaction has ended already"));
        };
        // A statement that is still running could otherwise be executed after the commit.
        let Some(transaction) = Arc::into_inner(transaction) else {
            return CommitOutcome::RolledBack(unavailable(
                "the tool returned while a statement of its transaction was running",
            ));
        };
        let database = self.0.database.clone();
        let commit = async move { Ok(transaction.commit(&database, settlement.as_ref()).await) };
        self.0.database.run(commit).await.unwrap_or_else(CommitOutcome::Unknown)
    }

    fn roll_back(&self) {
        if let Some(transaction) = self.0.end().and_then(Arc::into_inner) {
            let database = self.0.database.clone();
            self.0.database.run_detached(async move { transaction.roll_back(&database).await });
        }
    }
}

impl OpenTransaction {
    fn client(&self) -> Result<&Client, PostgresTransactionError> {
        self.connection.client().map_err(PostgresTransactionError::Connection)
    }

    /// Settles the key, and commits if it was held.
    // The commit is sent after the settlement is known: from then on the key's row is locked until the server has
    // ended the transaction, and a later operation on the row sees the outcome.
    async fn commit(self, database: &Database, settlement: Option<&KeyAnswer>) -> CommitOutcome {
        let settled = self.settle(database, settlement);
        let (marker, is_held) = match database.in_time(settled).await {
            Ok(settled) => settled,
            Err(failed) => {
                self.roll_back(database).await;
                return CommitOutcome::RolledBack(failed.into_error());
            }
        };
        if marker != self.marker {
            let log =
                "the tool ended the store's transaction itself: remove its COMMIT or ROLLBACK";
            return CommitOutcome::EndedByTool(damaged(log));
        }
        if !is_held {
            self.roll_back(database).await;
            return CommitOutcome::NotHeld;
        }
        match self.end(database, "COMMIT").await {
            Ok(()) => CommitOutcome::Committed,
            Err(FailedTransaction::Conflict(error) | FailedTransaction::Failed(error)) => {
                CommitOutcome::RolledBack(error)
            }
            Err(FailedTransaction::Broken(error)) => CommitOutcome::Unknown(error),
        }
    }

    /// Settles the key; returns the marker that the session has, and whether the key was held.
    async fn settle(
        &self,
        database: &Database,
        settlement: Option<&KeyAnswer>,
    ) -> Result<(String, bool), FailedTransaction> {
        let (client, schema) = (self.connection.client(), database.schema());
        let client = client.map_err(FailedTransaction::Broken)?;
        let settle = async {
            let Some(settlement) = settlement else { return Ok::<_, FailedTransaction>(true) };
            let answer = settle::answer_in_transaction(database, settlement, &self.marker);
            let rows = answer.query(client, schema).await?;
            let is_held = rows.first().map(settle::read_is_held).transpose();
            Ok(is_held.map_err(FailedTransaction::Failed)?.unwrap_or(false))
        };
        let (is_held, marker) = join!(settle, client.query_typed_one(MARKER, &[]));
        let (is_held, marker) = (is_held?, marker?);
        Ok((column(&marker, "marker").map_err(FailedTransaction::Failed)?, is_held))
    }

    async fn roll_back(self, database: &Database) {
        // If the server does not answer, the connection is closed, which rolls back too.
        drop(self.end(database, "ROLLBACK").await);
    }

    /// Ends the transaction, and returns its connection to the pool.
    async fn end(mut self, database: &Database, statement: &str) -> Result<(), FailedTransaction> {
        let client = self.connection.client().map_err(FailedTransaction::Broken)?;
        let end = async { client.batch_execute(statement).await.map_err(FailedTransaction::from) };
        let result = database.in_time(end).await;
        if !matches!(result, Err(FailedTransaction::Broken(_))) {
            self.connection.give_back();
        }
        result
    }
}

impl FailedTransaction {
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Conflict(error) | Self::Failed(error) | Self::Broken(error) => error,
        }
    }
}

impl FromCall for PostgresTransaction {
    const IS_TRANSACTION: bool = true;

    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        call.transaction::<Self>().map(|transaction| Self::clone(&transaction))
    }
}

impl fmt::Debug for PostgresTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresTransaction").finish_non_exhaustive()
    }
}
