//! SQLite: a few connections to one file, used off the async threads.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, TransactionBehavior, params_from_iter};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::{Engine, Row, Statement, StoreError, Value, migrations};

/// A file of SQLite.
#[derive(Clone)]
pub(crate) struct Sqlite {
    pool: Arc<Pool>,
}

struct Pool {
    idle: Mutex<Vec<Connection>>,
    /// One permit per connection: the holder of a permit finds a connection.
    free: Arc<Semaphore>,
}

/// The number of concurrent statements; a file still has only one writer at a time.
const CONNECTIONS: usize = 4;

/// The longest wait for a writer of another process.
const PATIENCE: Duration = Duration::from_secs(5);

impl Sqlite {
    pub(super) async fn open(path: &Path) -> Result<Self, StoreError> {
        let path = path.to_owned();
        let idle = spawn_blocking(move || {
            let mut first = connect(&path)?;
            migrations::runner(Engine::Sqlite)?.run(&mut first)?;
            let more = (1..CONNECTIONS).map(|_| connect(&path));
            std::iter::once(Ok(first)).chain(more).collect::<Result<Vec<_>, StoreError>>()
        });
        let idle = idle.await.map_err(|_| StoreError::Ended)??;
        let free = Arc::new(Semaphore::new(idle.len()));
        Ok(Self { pool: Arc::new(Pool { idle: Mutex::new(idle), free }) })
    }

    pub(super) async fn rows(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.run(move |connection| rows(connection, &statement)).await
    }

    pub(super) async fn write(&self, statements: Vec<Statement>) -> Result<u64, StoreError> {
        self.run(move |connection| write(connection, &statements)).await
    }

    /// Runs an operation with a connection on a blocking thread.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let free = Arc::clone(&self.pool.free);
        let permit = free.acquire_owned().await.map_err(|_| StoreError::Ended)?;
        let pool = Arc::clone(&self.pool);
        let done = spawn_blocking(move || {
            let mut connection = pool.take().ok_or(StoreError::Ended)?;
            let done = work(&mut connection);
            pool.put(connection);
            drop(permit);
            done
        });
        done.await.map_err(|_| StoreError::Ended)?
    }
}

impl Pool {
    fn take(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Flag(flag) => ValueRef::Integer((*flag).into()),
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

fn rows(connection: &Connection, statement: &Statement) -> Result<Vec<Row>, StoreError> {
    let mut prepared = connection.prepare_cached(&numbered(&statement.sql))?;
    let columns = prepared.column_count();
    let rows = prepared.query_map(params_from_iter(&statement.values), |row| {
        let values = (0..columns).map(|column| row.get_ref(column).map(value));
        values.collect::<rusqlite::Result<Vec<_>>>().map(Row)
    })?;
    Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
}

fn write(connection: &mut Connection, statements: &[Statement]) -> Result<u64, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut first = None;
    for Statement { sql, values } in statements {
        let mut prepared = transaction.prepare_cached(&numbered(sql))?;
        let changed = prepared.execute(params_from_iter(values))? as u64;
        if *first.get_or_insert(changed) == 0 {
            break;
        }
    }
    transaction.commit()?;
    Ok(first.unwrap_or_default())
}

/// Rewrites `$1` to the form of SQLite; no statement here has a `$` elsewhere.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Number(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Value::Text(String::from_utf8_lossy(text).into_owned())
        }
    }
}
