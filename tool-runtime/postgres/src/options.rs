//! The settings of a PostgreSQL store, and its opening.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use crate::PostgresStore;
use crate::columns::column;
use crate::database::{Database, TransactionSettings};
use crate::error::{pool_error, store_error, unavailable};
use crate::store_clock::ServerClock;
use crate::{migrations, tls};

/// Settings of a [`PostgresStore`].
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    schema: String,
    max_connections: usize,
    max_queued: usize,
    statement_timeout: Duration,
    lock_timeout: Duration,
    connect_timeout: Duration,
    migrate: bool,
    prepared_statements: bool,
    require_durable_commits: bool,
    root_certificates: Option<Vec<u8>>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "tool_runtime".to_owned(),
            max_connections: 16,
            max_queued: 10_000,
            statement_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(2),
            connect_timeout: Duration::from_secs(5),
            migrate: true,
            prepared_statements: false,
            require_durable_commits: true,
            root_certificates: None,
        }
    }
}

impl PostgresOptions {
    /// Sets the schema of the store's tables, one for each installation; `tool_runtime` by default.
    ///
    /// A name has lower-case letters, digits and underscores, at most 63, and begins with no digit.
    #[must_use]
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// Sets the most connections of the store's own pool; 16 by default.
    ///
    /// All replicas together must stay below the server's `max_connections`.
    #[must_use]
    pub fn max_connections(mut self, limit: usize) -> Self {
        self.max_connections = limit.max(1);
        self
    }

    /// Sets how many operations may be in progress or wait for a connection; 10,000 by default.
    ///
    /// Further operations fail at once as
    /// [`Unavailable`](tool_runtime_core::store::StoreErrorKind::Unavailable).
    #[must_use]
    pub fn max_queued(mut self, limit: usize) -> Self {
        self.max_queued = limit;
        self
    }

    /// Sets how long a statement may take on the server; 5 seconds by default.
    ///
    /// An operation whose server does not answer at all fails after twice this time.
    #[must_use]
    pub fn statement_timeout(mut self, limit: Duration) -> Self {
        self.statement_timeout = limit;
        self
    }

    /// Sets how long a statement may wait for another transaction; 2 seconds by default.
    ///
    /// Keep it below a third of the shortest lease ([`Tool::lease`](https://docs.rs/tool-runtime)), so that a
    /// renewal that waits is in time.
    #[must_use]
    pub fn lock_timeout(mut self, limit: Duration) -> Self {
        self.lock_timeout = limit;
        self
    }

    /// Sets how long a new connection, and the wait for a free one, may take; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Sets whether opening the store creates or migrates its tables; true by default.
    ///
    /// Without it, a store whose tables are of an older version does not open. The role that migrates owns the
    /// tables; a role that only uses them needs no more than their grants.
    #[must_use]
    pub fn migrate(mut self, migrate: bool) -> Self {
        self.migrate = migrate;
        self
    }

    /// Sets whether each connection prepares the statements that claim, settle and renew keys; false by default.
    ///
    /// They take less of the server's processor then. It is for a server that is connected directly, or through a
    /// pooler that knows prepared statements, as `PgBouncer` does from 1.21 on with `max_prepared_statements`: through
    /// another one in transaction mode, a connection may meet the statements of another client.
    #[must_use]
    pub fn prepared_statements(mut self, prepare: bool) -> Self {
        self.prepared_statements = prepare;
        self
    }

    /// Sets whether a server that may lose confirmed commits when it crashes is refused; true by default.
    ///
    /// Such a server has `fsync = off`, or `synchronous_commit = off` for the role or the database. After a
    /// crash, a write may run twice under one key, and two owners may have one fence. Set it to false for tests
    /// alone.
    #[must_use]
    pub fn require_durable_commits(mut self, require: bool) -> Self {
        self.require_durable_commits = require;
        self
    }

    /// Sets the only root certificates that the server's certificate may come from, in PEM; those of the
    /// operating system by default.
    #[must_use]
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates = Some(pem.into());
        self
    }

    /// Connects to a server with a pool of the store's own; see [`PostgresStore::connect`].
    ///
    /// # Errors
    /// Returns the errors of [`PostgresStore::connect`].
    pub async fn connect(self, url: &str) -> Result<PostgresStore, StoreError> {
        let pool = self.pool(url)?;
        Ok(PostgresStore { owns_pool: true, ..self.open(pool).await? })
    }

    /// Opens the store on the host's own pool of connections.
    ///
    /// The store sets nothing for a session, so that the pool may serve other work too. The host decides about
    /// TLS and the time limits of the pool.
    ///
    /// # Errors
    /// Returns the errors of [`PostgresStore::connect`].
    pub async fn open(self, pool: Pool) -> Result<PostgresStore, StoreError> {
        must_be_schema_name(&self.schema)?;
        // Its sessions may be left within a transaction, if the opening fails.
        let client = Object::take(pool.get().await.map_err(|error| pool_error(&error))?);
        let synchronous_commit = self.check_settings(&client).await?;
        migrations::prepare(&client, &self.schema, self.migrate).await?;
        drop(client);
        let settings = TransactionSettings {
            statement_timeout: self.statement_timeout,
            lock_timeout: self.lock_timeout,
            synchronous_commit,
            prepares: self.prepared_statements,
        };
        let database = Database::new(pool, self.schema.into(), settings, self.max_queued);
        Ok(PostgresStore { database, clock: ServerClock::default(), owns_pool: false })
    }

    fn pool(&self, url: &str) -> Result<Pool, StoreError> {
        let mut config: Config = url.parse().map_err(|error| {
            unavailable(format!(
                "expected a URL as postgres://USER:PASSWORD@HOST/DATABASE: {error}"
            ))
        })?;
        tls::require_tls(&mut config);
        if config.get_application_name().is_none() {
            config.application_name("tool-runtime");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(self.connect_timeout);
        }
        if config.get_tcp_user_timeout().is_none() {
            // A server that is gone without a word is noticed, also by a connection that waits for it.
            config.tcp_user_timeout(self.statement_timeout.saturating_mul(2));
        }
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = if config.get_ssl_mode() == SslMode::Disable {
            Manager::from_config(config, NoTls, recycling)
        } else {
            let connector = tls::connector(self.root_certificates.as_deref())?;
            Manager::from_config(config, connector, recycling)
        };
        let limit = Some(self.connect_timeout);
        let pool = Pool::builder(manager)
            .max_size(self.max_connections)
            .wait_timeout(limit)
            .create_timeout(limit)
            .recycle_timeout(limit)
            .runtime(Runtime::Tokio1);
        pool.build().map_err(|error| unavailable(error.to_string()))
    }

    /// Returns the session's `synchronous_commit`, if the server keeps what it confirms and isolates transactions as the
    /// store expects.
    async fn check_settings(&self, client: &Client) -> Result<Box<str>, StoreError> {
        const SETTINGS: &str = "
            SELECT current_setting('fsync') AS fsync,
                current_setting('synchronous_commit') AS synchronous_commit,
                current_setting('default_transaction_isolation') AS isolation";
        let row =
            client.query_typed_one(SETTINGS, &[]).await.map_err(|error| store_error(&error))?;
        let (fsync, commit): (&str, &str) =
            (column(&row, "fsync")?, column(&row, "synchronous_commit")?);
        let is_durable = fsync == "on" && matches!(commit, "on" | "remote_apply");
        if self.require_durable_commits && !is_durable {
            let log = format!(
                "the server may lose what it has confirmed (fsync = {fsync}, synchronous_commit = {commit}), and a \
                 write could run twice: set both to on, or for tests `require_durable_commits(false)`"
            );
            return Err(StoreError::for_settings(StoreErrorKind::Unavailable, log));
        }
        // A claim waits for a lock, and then reads what the owner before has committed.
        let isolation: &str = column(&row, "isolation")?;
        if isolation != "read committed" {
            let log = format!(
                "the role or the database has default_transaction_isolation = {isolation:?}: expected read committed; \
                 ALTER ROLE … SET default_transaction_isolation = 'read committed'"
            );
            return Err(StoreError::for_settings(StoreErrorKind::Unavailable, log));
        }
        Ok(commit.into())
    }
}

fn must_be_schema_name(name: &str) -> Result<(), StoreError> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let is_valid = name.len() <= 63
        && name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
    if is_valid {
        return Ok(());
    }
    Err(unavailable(format!(
        "the schema's name {name:?}: expected lower-case letters, digits and underscores, at most 63, and no digit \
         at the beginning"
    )))
}
