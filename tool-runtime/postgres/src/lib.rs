//! A durable store in PostgreSQL, which any number of replicas on any machines share.
//!
//! An operation is a task of the store's own: see `database`. Its statements are one transaction, sent in one
//! round trip. Each trait has a file with its operations.
//!
//! Depend on `tool-runtime` with the feature `postgres`, which re-exports what is public here.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod budgets;
mod claim;
mod columns;
mod database;
mod error;
mod evidence;
mod evidence_keys;
mod grants;
mod import;
mod keys;
#[cfg(feature = "ledger")]
mod ledger;
mod limits;
mod migrations;
mod options;
mod outbox;
mod outputs;
#[cfg(feature = "agent")]
mod sessions;
mod settle;
mod statement;
mod store_clock;
mod tickets;
mod tls;
mod transaction;
mod transaction_error;

use std::fmt;

use tokio_postgres::Row;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use self::database::{Database, RowScope};
#[cfg(feature = "ledger")]
pub use self::ledger::PostgresLedger;
pub use self::options::PostgresOptions;
#[cfg(feature = "agent")]
pub use self::sessions::PostgresSessions;
use self::statement::Statement;
use self::store_clock::ServerClock;
pub use self::transaction::PostgresTransaction;
pub use self::transaction_error::PostgresTransactionError;

/// A durable store in PostgreSQL: any number of replicas, on any machines, share one truth.
///
/// Keys, tickets, grants, outputs and evidence are in the tables of one schema. A call can be asked for on one
/// replica, approved on another and run on a third, and a repeat gets the answer from any. Clones share one pool
/// of connections.
///
/// It needs PostgreSQL 14 or newer. Its transactions are `READ COMMITTED`, each in one round trip, and set
/// nothing for their session, so that a pooler in transaction mode may stand in between. Versions of `PgBouncer`
/// before 1.21 work too: no statement is prepared.
///
/// # Cancellation
/// Operations are tasks of the runtime on which the store was opened. If the future of an operation is dropped,
/// the operation goes on, within its time limit. A claim is undone then, and also if the connection is lost
/// before its answer.
///
/// # Time
/// Leases and the retention of keys follow the server's clock. When the clock is set, the first process that
/// notices it corrects the time of the store for all, within a minute; a process that starts within this minute
/// may read the wrong time, if the clock was set ahead.
///
/// # Tenants
/// Each statement names its tenant. Row-level security is a second line: a transaction sees the rows of the one
/// tenant that it has set.
///
/// # Errors
/// While the server is away, operations fail as
/// [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable), and the pool connects again. A
/// transaction that the server rolled back because of another one is repeated.
///
/// # Erasure
/// A destroyed tenant key is gone from its table at once. PostgreSQL keeps older versions of a row until
/// `VACUUM`, and in its log and backups for as long as these are kept; there the key is still wrapped by the
/// host's ring.
///
/// # Example
/// ```no_run
/// # async fn doc() -> Result<(), tool_runtime::store::StoreError> {
/// use tool_runtime::store::PostgresStore;
///
/// let store = PostgresStore::connect("postgres://tools@db.example/tools").await?;
/// # store.close();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    database: Database,
    clock: ServerClock,
    owns_pool: bool,
}

impl PostgresStore {
    /// Connects to a server, creates or migrates the store's tables, and checks what the store relies on.
    ///
    /// The URL is that of libpq: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. A server on another machine must
    /// have TLS with a certificate that the operating system trusts, or one of
    /// [`root_certificates`](PostgresOptions::root_certificates); `?sslmode=disable` does without.
    ///
    /// # Errors
    /// Returns `Unavailable` if the URL is invalid, the server does not answer or refuses the role, or it may lose
    /// confirmed commits; `Damaged` if the schema belongs to another program or a newer release; `ReadOnly` if
    /// the server is a standby, or the role lacks a privilege.
    ///
    /// # Panics
    /// Panics outside a Tokio runtime.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::options().connect(url).await
    }

    /// Returns the default settings, which can be changed before connecting.
    #[must_use]
    pub fn options() -> PostgresOptions {
        PostgresOptions::default()
    }

    /// Closes the store's own pool for all handles; a pool of the host stays open. Operations that have a
    /// connection end; later ones fail as
    /// [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable).
    pub fn close(&self) {
        if self.owns_pool {
            self.database.close();
        }
    }

    /// Checks that the server answers and accepts writes, for a readiness check such as
    /// `http::HttpConfig::ready_check`.
    ///
    /// # Errors
    /// Returns `Unavailable` if the server does not answer, `ReadOnly` if it is a standby.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let statement = Statement::new("SELECT pg_is_in_recovery() AS is_standby");
        let is_standby = |row: &Row| columns::column::<bool>(row, "is_standby");
        match self.query(RowScope::AllTenants, statement, is_standby).await?.pop() {
            Some(true) => Err(StoreError::new(StoreErrorKind::ReadOnly, "the server is a standby")),
            Some(false) | None => Ok(()),
        }
    }

    /// Runs one statement, and converts its rows.
    async fn query<T: Send + 'static>(
        &self,
        scope: RowScope,
        statement: Statement,
        read: impl Fn(&Row) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<Vec<T>, StoreError> {
        let database = self.database.clone();
        let query = async move { database.rows(scope, &[statement], read).await };
        self.database.run(query).await
    }

    /// Runs one statement, and returns the number of its rows.
    async fn execute(&self, scope: RowScope, statement: Statement) -> Result<usize, StoreError> {
        self.execute_all(scope, vec![statement]).await
    }

    /// Runs statements in one transaction, and returns the number of rows of the last one.
    async fn execute_all(
        &self,
        scope: RowScope,
        statements: Vec<Statement>,
    ) -> Result<usize, StoreError> {
        let database = self.database.clone();
        let execute = async move { database.count(scope, &statements).await };
        self.database.run(execute).await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
