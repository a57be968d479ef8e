//! The ledger's own connection, on a thread of its own: the ledger's writer waits for it without a runtime, and also
//! when the host's runtime has ended.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use deadpool::managed::Manager as _;
use deadpool_postgres::{ClientWrapper, Pool};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_postgres::Row;
use tool_runtime_core::store::StoreError;

use crate::PostgresStore;
use crate::database::{
    FailedTransaction, MAX_ATTEMPTS, RowScope, TransactionSettings, run_transaction,
};
use crate::error::{store_error, unavailable};
use crate::statement::Statement;

/// Runs transactions on the connection, one after another.
pub(super) struct LedgerConnection {
    jobs: Sender<Job>,
    settings: TransactionSettings,
}

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// The state of the thread. It connects when it needs to.
struct Worker {
    runtime: Runtime,
    pool: Pool,
    schema: Box<str>,
    client: Option<ClientWrapper>,
}

/// The time limit of a transaction.
#[derive(Clone, Copy)]
pub(super) enum TimeLimit {
    /// That of the store's statements.
    Usual,
    /// Ten minutes, for a statement that reads or drops a day's records.
    Long,
}

impl LedgerConnection {
    pub(super) fn start(store: &PostgresStore) -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| {
            unavailable(format!("cannot start the thread of the ledger's connection: {error}"))
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (pool, schema) = (store.database.pool().clone(), store.database.schema().into());
        let (jobs, waiting): (Sender<Job>, Receiver<Job>) = mpsc::channel();
        let work = move || {
            let mut worker = Worker { runtime, pool, schema, client: None };
            while let Ok(job) = waiting.recv() {
                job(&mut worker);
            }
        };
        thread::Builder::new()
            .name("tool-ledger-postgres".to_owned())
            .spawn(work)
            .map_err(failed)?;
        Ok(Self { jobs, settings: store.database.settings().clone() })
    }

    pub(super) fn settings(&self) -> &TransactionSettings {
        &self.settings
    }

    /// Runs one statement as a transaction by itself: a call of a function of the schema that sets its own limits.
    pub(super) fn call<T: Send + 'static>(
        &self,
        call: Statement,
        read: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Vec<T>, StoreError> {
        self.submit(None, vec![call], TimeLimit::Usual, read)
    }

    /// Runs one statement in a transaction that sees the rows of all tenants.
    pub(super) fn rows<T: Send + 'static>(
        &self,
        statement: Statement,
        limit: TimeLimit,
        read: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Vec<T>, StoreError> {
        let statement_timeout = self.limit(limit);
        let settings = TransactionSettings { statement_timeout, ..self.settings.clone() };
        let begin = settings.begin(RowScope::AllTenants);
        self.submit(Some(begin), vec![statement], limit, read)
    }

    fn limit(&self, limit: TimeLimit) -> Duration {
        match limit {
            TimeLimit::Usual => self.settings.statement_timeout,
            TimeLimit::Long => Duration::from_secs(600),
        }
    }

    /// Runs a transaction on the thread, and waits for it.
    fn submit<T: Send + 'static>(
        &self,
        begin: Option<String>,
        statements: Vec<Statement>,
        limit: TimeLimit,
        read: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Vec<T>, StoreError> {
        // The server ends a statement earlier; after this the network is at fault.
        let limit = self.limit(limit).saturating_mul(2);
        let (answer, answered) = mpsc::channel();
        let job = move |worker: &mut Worker| {
            let _ = answer.send(worker.run(begin.as_deref(), &statements, limit, &read));
        };
        let thread_ended = || unavailable("the thread of the ledger's connection has ended");
        self.jobs.send(Box::new(job)).map_err(|_| thread_ended())?;
        answered.recv().unwrap_or_else(|_| Err(thread_ended()))
    }
}

impl Worker {
    /// Runs a transaction, again if the server rolled it back because of another one.
    fn run<T>(
        &mut self,
        begin: Option<&str>,
        statements: &[Statement],
        limit: Duration,
        read: &impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut attempt = 1;
        loop {
            match self.run_once(begin, statements, limit, read) {
                Err(FailedTransaction::Conflict(_)) if attempt < MAX_ATTEMPTS => attempt += 1,
                Ok(rows) => return Ok(rows),
                Err(FailedTransaction::Conflict(error) | FailedTransaction::Failed(error)) => {
                    return Err(error);
                }
                Err(FailedTransaction::Broken(error)) => {
                    self.client = None;
                    return Err(error);
                }
            }
        }
    }

    fn run_once<T>(
        &mut self,
        begin: Option<&str>,
        statements: &[Statement],
        limit: Duration,
        read: &impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, FailedTransaction> {
        let Self { runtime, pool, schema, client } = self;
        let transaction = async {
            // Lets the connection see that the server closed it while nothing was asked.
            yield_now().await;
            let open_client = match client.take().filter(|client| !client.is_closed()) {
                Some(open_client) => open_client,
                None => connect(pool).await.map_err(FailedTransaction::Broken)?,
            };
            run_transaction(client.insert(open_client), begin, schema, statements, read).await
        };
        let in_time = async { timeout(limit, transaction).await };
        runtime.block_on(in_time).unwrap_or_else(|_| {
            Err(FailedTransaction::Broken(unavailable("the server did not answer in time")))
        })
    }
}

/// Connects as the pool does, outside of it: its connections belong to the host's runtime.
async fn connect(pool: &Pool) -> Result<ClientWrapper, StoreError> {
    pool.manager().create().await.map_err(|error| store_error(&error))
}
