//! The guide's database: SQLite or PostgreSQL, behind the same few statements.
//!
//! Statements are written once, with `$1`, `$2` … for values; the parts that differ (full-text
//! search) use [`Store::engine`].

mod migrations;
mod postgres;
mod sqlite;
mod value;

pub(crate) use self::value::{Row, Value};

use std::path::Path;

use self::postgres::Postgres;
use self::sqlite::Sqlite;

/// The database of the guide's tables. A handle: cloning it is cheap.
#[derive(Debug, Clone)]
pub(crate) enum Store {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A statement and its values.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

/// The error of a database operation.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The URL has neither form of a database.
    #[error("expected a database as sqlite:PATH or postgres://USER@HOST/NAME")]
    Url,
    /// An error of SQLite.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// An error of PostgreSQL.
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] tokio_postgres::Error),
    /// There is no connection to PostgreSQL.
    #[error("no connection to PostgreSQL: {0}")]
    Pool(#[from] deadpool_postgres::PoolError),
    /// The pool of connections cannot be created.
    #[error("the pool of connections: {0}")]
    Build(#[from] deadpool_postgres::BuildError),
    /// The tables could not be created or migrated.
    #[error("migrations: {0}")]
    Migration(#[from] refinery::Error),
    /// The operation was abandoned because the program is shutting down.
    #[error("the database's thread has ended")]
    Ended,
    /// The shipped data cannot be read.
    #[error("the data that ships with the program: {0}")]
    Data(#[from] serde_json::Error),
    /// A shipped tenant's name is invalid.
    #[error("a tenant that ships with the program has a name that cannot be one")]
    Seed,
    /// A column contains an unexpected value.
    #[error("column {0} of an answer is not what was expected")]
    Column(usize),
}

impl Store {
    /// Opens a database by its URL, and migrates its tables.
    ///
    /// # Errors
    /// The URL is invalid, or the database cannot be opened or migrated.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            return Ok(Self::Sqlite(Sqlite::open(Path::new(path)).await?));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(Postgres::open(url).await?));
        }
        Err(StoreError::Url)
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Executes a query, and returns all rows.
    pub(crate) async fn rows(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(database) => database.rows(statement).await,
            Self::Postgres(database) => database.rows(&statement).await,
        }
    }

    /// Executes a query, and returns the first row if there is one.
    pub(crate) async fn row(&self, statement: Statement) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(statement).await?.into_iter().next())
    }

    /// Executes all statements, or none: the others are skipped if the first one changes no row.
    ///
    /// Returns the number of rows that the first one changed. A started write completes even if its
    /// future is dropped.
    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(database) => database.write(statements).await,
            Self::Postgres(database) => database.write(statements).await,
        }
    }
}

impl Statement {
    pub(crate) fn new(sql: impl Into<String>, values: impl Into<Vec<Value>>) -> Self {
        Self { sql: sql.into(), values: values.into() }
    }
}
