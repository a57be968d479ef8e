//! Runs the store's operations: each is a task of the store's own, and each of its transactions takes one
//! round trip.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Object, Pool};
use futures::future::join_all;
use futures::{StreamExt as _, join};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::StoreError;
use uuid::Uuid;

use crate::error::{is_conflict, pool_error, store_error, unavailable};
use crate::statement::Statement;

/// The most attempts to run a transaction that the server rolls back because of another one.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// The server's pool of connections, and the settings of each transaction. Clones share it.
#[derive(Clone)]
pub(crate) struct Database(Arc<DatabaseState>);

struct DatabaseState {
    pool: Pool,
    schema: Box<str>,
    settings: TransactionSettings,
    queued: Arc<Semaphore>,
    detached: Arc<Semaphore>,
    /// The permits of the transactions of tools, for half of the connections. The store's own operations need the
    /// other half: a call runs some of them while its transaction is open.
    of_tools: Arc<Semaphore>,
    runtime: Handle,
}

/// The settings of each transaction. They are those of the transaction alone, because a pooler gives the
/// session to others.
#[derive(Debug, Clone)]
pub(crate) struct TransactionSettings {
    pub(crate) statement_timeout: Duration,
    pub(crate) lock_timeout: Duration,
    /// The setting that was checked at opening, so that no later one of the role weakens it.
    pub(crate) synchronous_commit: Box<str>,
    /// True if each connection prepares the calls of the schema's functions.
    pub(crate) prepares: bool,
}

/// The rows that a transaction sees.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RowScope {
    Tenant(Uuid),
    AllTenants,
}

/// A connection of the pool. It leaves the pool unless its transaction has ended.
pub(crate) struct Checkout(Option<Object>);

pub(crate) enum FailedTransaction {
    /// The server rolled the transaction back because of another one.
    Conflict(StoreError),
    /// The transaction failed; its connection can be used again.
    Failed(StoreError),
    /// The connection failed. If the commit was sent, the transaction may have taken effect.
    Broken(StoreError),
}

impl Database {
    pub(crate) fn new(
        pool: Pool,
        schema: Box<str>,
        settings: TransactionSettings,
        max_queued: usize,
    ) -> Self {
        let permits = || Arc::new(Semaphore::new(max_queued.min(Semaphore::MAX_PERMITS)));
        let (queued, detached, runtime) = (permits(), permits(), Handle::current());
        let of_tools = Arc::new(Semaphore::new(pool.status().max_size / 2));
        let state = DatabaseState { pool, schema, settings, queued, detached, of_tools, runtime };
        Self(Arc::new(state))
    }

    pub(crate) fn close(&self) {
        self.0.pool.close();
    }

    /// Runs an operation as a task, so that it ends as it began even if the caller drops its future: a dropped
    /// statement is executed all the same, and only the task knows what it did.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        operation: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = Arc::clone(&self.0.queued).try_acquire_owned();
        let permit = permit.map_err(|_| unavailable("too many operations wait for the server"))?;
        let task = self.0.runtime.spawn(async move {
            let result = operation.await;
            drop(permit);
            result
        });
        task.await.unwrap_or_else(|_| Err(unavailable("the operation's runtime was shut down")))
    }

    /// Runs a task until it ends.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.runtime.spawn(task);
    }

    /// Runs an operation that no caller waits for, unless too many of them run.
    pub(crate) fn run_detached(&self, operation: impl Future<Output = ()> + Send + 'static) {
        if let Ok(permit) = Arc::clone(&self.0.detached).try_acquire_owned() {
            self.0.runtime.spawn(async move {
                operation.await;
                drop(permit);
            });
        }
    }

    /// Runs statements in one transaction, and converts the rows of the last one, each as it arrives.
    ///
    /// They are sent together with the beginning and the commit. If one fails, the transaction is rolled back.
    pub(crate) async fn rows<T>(
        &self,
        scope: RowScope,
        statements: &[Statement],
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        retried(|| self.transaction(scope, statements, &read)).await
    }

    /// Runs one statement, which is a transaction by itself, and converts its rows: a call of a function of the
    /// schema, which begins with the parameters of [`operation`](Self::operation).
    ///
    /// The function sets what another transaction sets at its beginning, except for `statement_timeout`, which holds for
    /// later statements only. It waits for nothing but locks.
    ///
    /// The call is made when its connection is free, so that it can have the time of that moment.
    pub(crate) async fn rows_of_call<T>(
        &self,
        call: impl Fn() -> Statement,
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        retried(|| self.call_once(&call, &read)).await
    }

    async fn call_once<T>(
        &self,
        call: &impl Fn() -> Statement,
        read: &impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, FailedTransaction> {
        let mut connection = self.checkout().await.map_err(FailedTransaction::Failed)?;
        let client = connection.prepared_client().map_err(FailedTransaction::Broken)?;
        let work = async {
            let call = call();
            if !self.0.settings.prepares {
                return run_transaction(client, None, &self.0.schema, &[call], read).await;
            }
            let (sql, parameters) = (call.sql(&self.0.schema), call.parameters());
            let (values, kinds): (Vec<_>, Vec<_>) = parameters.into_iter().unzip();
            let prepared = client.prepare_typed_cached(&sql, &kinds).await?;
            let rows = client.query(&prepared, &values).await?;
            rows.iter().map(read).collect::<Result<_, _>>().map_err(FailedTransaction::Failed)
        };
        let result = self.in_time(work).await;
        if !matches!(result, Err(FailedTransaction::Broken(_))) {
            connection.give_back();
        }
        result
    }

    /// Returns a call of a function of the schema, with its first three parameters.
    pub(crate) fn operation(&self, call: &'static str, tenant: Uuid) -> Statement {
        let TransactionSettings { lock_timeout, synchronous_commit, .. } = &self.0.settings;
        let lock_timeout = lock_timeout.as_millis().to_string();
        Statement::new(call).uuid(tenant).text(&lock_timeout).text(synchronous_commit)
    }

    /// Runs statements as [`rows`](Self::rows) does, and returns the number of rows of the last one.
    pub(crate) async fn count(
        &self,
        scope: RowScope,
        statements: &[Statement],
    ) -> Result<usize, StoreError> {
        self.rows(scope, statements, |_| Ok(())).await.map(|rows| rows.len())
    }

    async fn transaction<T>(
        &self,
        scope: RowScope,
        statements: &[Statement],
        read: &impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, FailedTransaction> {
        let state = &*self.0;
        let mut connection = self.checkout().await.map_err(FailedTransaction::Failed)?;
        let client = connection.client().map_err(FailedTransaction::Broken)?;
        let begin = state.settings.begin(scope);
        let work = run_transaction(client, Some(&begin), &state.schema, statements, read);
        let result = self.in_time(work).await;
        if !matches!(result, Err(FailedTransaction::Broken(_))) {
            connection.give_back();
        }
        result
    }
}

/// Connections and settings for the transactions of tools.
impl Database {
    pub(crate) fn schema(&self) -> &str {
        &self.0.schema
    }

    #[cfg(feature = "ledger")]
    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    pub(crate) fn settings(&self) -> &TransactionSettings {
        &self.0.settings
    }

    /// Takes a connection of the pool.
    pub(crate) async fn checkout(&self) -> Result<Checkout, StoreError> {
        let connection = self.0.pool.get().await.map_err(|error| pool_error(&error))?;
        Ok(Checkout(Some(connection)))
    }

    /// Waits for the permit of a tool's transaction, for as long as for a connection.
    pub(crate) async fn permit_of_tool(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        if self.0.pool.status().max_size < 2 {
            return Err(unavailable(
                "the transaction of a tool needs a second connection: set `max_connections` to 2 or more",
            ));
        }
        let permit = Arc::clone(&self.0.of_tools).acquire_owned();
        let limit = self.0.pool.timeouts().wait.unwrap_or(self.0.settings.statement_timeout);
        match timeout(limit, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(unavailable("the store was closed")),
            Err(_) => Err(unavailable(
                "transactions of tools have half of the connections, and none was free in time: raise \
                 `max_connections`, or look for slow tools",
            )),
        }
    }

    /// Waits for an answer of the server.
    pub(crate) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, FailedTransaction>>,
    ) -> Result<T, FailedTransaction> {
        in_time(self.0.settings.statement_timeout, work).await
    }
}

/// Waits for an answer of the server, which ends a statement after the limit; after twice of it the network is at fault.
pub(crate) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, FailedTransaction>>,
) -> Result<T, FailedTransaction> {
    timeout(limit.saturating_mul(2), work).await.unwrap_or_else(|_| {
        Err(FailedTransaction::Broken(unavailable("the server did not answer in time")))
    })
}

impl TransactionSettings {
    /// Returns the statements that begin a transaction. Their values are numbers, an id, and a word of the
    /// server's own.
    pub(crate) fn begin(&self, scope: RowScope) -> String {
        let tenant = match scope {
            RowScope::Tenant(tenant) => tenant.to_string(),
            RowScope::AllTenants => "*".to_owned(),
        };
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; \
             SET LOCAL statement_timeout = {}; SET LOCAL lock_timeout = {}; \
             SET LOCAL synchronous_commit = {}; SET LOCAL tool_runtime.tenant = '{tenant}'",
            self.statement_timeout.as_millis(),
            self.lock_timeout.as_millis(),
            self.synchronous_commit,
        )
    }
}

/// Repeats a transaction that the server rolled back because of another one.
async fn retried<T, F>(transaction: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, FailedTransaction>>,
{
    let mut attempt = 1;
    loop {
        match transaction().await {
            Err(FailedTransaction::Conflict(_)) if attempt < MAX_ATTEMPTS => attempt += 1,
            Ok(rows) => return Ok(rows),
            Err(
                FailedTransaction::Conflict(error)
                | FailedTransaction::Failed(error)
                | FailedTransaction::Broken(error),
            ) => return Err(error),
        }
    }
}

/// Sends the whole transaction, and then waits for its answers. Without a beginning, the only statement is a
/// transaction by itself.
// Not the driver's own transactions: each of their steps waits for the one before. What they are for, the end
// of a transaction whose future is dropped, is done by `Checkout`.
pub(crate) async fn run_transaction<T>(
    client: &Client,
    begin: Option<&str>,
    schema: &str,
    statements: &[Statement],
    read: &impl Fn(&Row) -> Result<T, StoreError>,
) -> Result<Vec<T>, FailedTransaction> {
    let Some((last, earlier)) = statements.split_last() else { return Ok(Vec::new()) };
    // Each future sends its message when it is polled for the first time, which is in this order.
    let earlier = earlier.iter().map(|statement| statement.query(client, schema));
    let earlier = join_all(earlier);
    let last = async {
        let (sql, parameters) = (last.sql(schema), last.parameters());
        let mut rows = pin!(client.query_typed_raw(&sql, parameters).await?);
        let mut values = Vec::new();
        while let Some(row) = rows.next().await {
            values.push(read(&row?));
        }
        Ok::<_, tokio_postgres::Error>(values)
    };
    let batch = async |sql: Option<&str>| match sql {
        Some(sql) => client.batch_execute(sql).await,
        None => Ok(()),
    };
    let (beginning, earlier, values, commit) =
        join!(batch(begin), earlier, last, batch(begin.map(|_| "COMMIT")));
    beginning?;
    earlier.into_iter().try_for_each(|rows| rows.map(drop))?;
    let values = values?;
    commit?;
    values.into_iter().collect::<Result<_, _>>().map_err(FailedTransaction::Failed)
}

impl From<tokio_postgres::Error> for FailedTransaction {
    fn from(error: tokio_postgres::Error) -> Self {
        let log = store_error(&error);
        match error.as_db_error() {
            Some(_) if is_conflict(&error) => Self::Conflict(log),
            // The server ends the connection with an error of class 57, such as a shutdown.
            Some(server_error) if !server_error.code().code().starts_with("57P") => {
                Self::Failed(log)
            }
            Some(_) | None => Self::Broken(log),
        }
    }
}

impl Checkout {
    pub(crate) fn client(&self) -> Result<&Client, StoreError> {
        self.prepared_client().map(|client| &**client)
    }

    /// Returns the connection with the statements that it has prepared.
    fn prepared_client(&self) -> Result<&ClientWrapper, StoreError> {
        let client = self.0.as_deref();
        client.ok_or_else(|| unavailable("the connection has been given back to its pool"))
    }

    /// Returns the connection to the pool.
    pub(crate) fn give_back(&mut self) {
        self.0 = None;
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            // Its transaction may still run: the next operation would wait for it, or continue it.
            drop(Object::take(object));
        }
    }
}
