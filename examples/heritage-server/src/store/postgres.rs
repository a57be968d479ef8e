//! PostgreSQL: a pool of connections without TLS, for a server on this machine or a trusted network.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Config, NoTls};

use super::{Engine, Row, Statement, StoreError, Value, migrations};

/// A database of PostgreSQL.
#[derive(Clone)]
pub(crate) struct Postgres {
    pool: Pool,
}

const CONNECTIONS: usize = 8;

/// The longest wait for a free connection, and for a new connection to the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// The lock under which programs that start concurrently migrate one after the other.
const MIGRATING: &str = "SELECT pg_advisory_lock(7236837521)";

impl Postgres {
    pub(super) async fn open(url: &str) -> Result<Self, StoreError> {
        let config: Config = url.parse()?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, NoTls, recycling))
            .max_size(CONNECTIONS)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .runtime(Runtime::Tokio1)
            .build()?;
        let this = Self { pool };
        this.migrate().await?;
        Ok(this)
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        // Removed from the pool permanently: the lock ends with the connection.
        let mut client = deadpool_postgres::Object::take(self.pool.get().await?);
        client.batch_execute(MIGRATING).await?;
        let runner = migrations::runner(Engine::Postgres)?;
        runner.run_async(&mut *client).await?;
        Ok(())
    }

    pub(super) async fn rows(&self, statement: &Statement) -> Result<Vec<Row>, StoreError> {
        let client = self.pool.get().await?;
        let prepared = client.prepare_cached(&statement.sql).await?;
        let rows = client.query(&prepared, &borrowed(&statement.values)).await?;
        rows.iter().map(row).collect()
    }

    pub(super) async fn write(&self, statements: Vec<Statement>) -> Result<u64, StoreError> {
        // A task of its own, so that a dropped caller does not interrupt it.
        let this = self.clone();
        let written = tokio::spawn(async move { this.write_all(&statements).await });
        written.await.map_err(|_| StoreError::Ended)?
    }

    async fn write_all(&self, statements: &[Statement]) -> Result<u64, StoreError> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let mut first = None;
        for Statement { sql, values } in statements {
            let prepared = transaction.prepare_cached(sql).await?;
            let changed = transaction.execute(&prepared, &borrowed(values)).await?;
            if *first.get_or_insert(changed) == 0 {
                break;
            }
        }
        transaction.commit().await?;
        Ok(first.unwrap_or_default())
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        column: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Flag(flag) => flag.to_sql_checked(column, out),
            Self::Number(number) => number.to_sql_checked(column, out),
            Self::Real(number) => number.to_sql_checked(column, out),
            Self::Text(text) => text.to_sql_checked(column, out),
        }
    }

    /// Every type, since a value without one (`Null`) fits all; the others are checked one by one.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn borrowed(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let values = (0..row.len()).map(|column| {
        Ok(match *row.columns()[column].type_() {
            Type::BOOL => row.try_get::<_, Option<bool>>(column)?.into(),
            Type::INT8 => row.try_get::<_, Option<i64>>(column)?.into(),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.into(),
            _ => row.try_get::<_, Option<String>>(column)?.into(),
        })
    });
    values.collect::<Result<Vec<_>, tokio_postgres::Error>>().map(Row).map_err(Into::into)
}
