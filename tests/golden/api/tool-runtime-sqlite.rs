// tool_runtime_sqlite::FileCheck
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCheck {
    pub rows: usize,
    pub damaged: usize,
}

// tool_runtime_sqlite::SqliteLedger
pub struct SqliteLedger {
    ..
}
impl SqliteLedger {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
    pub fn open_with(
        path: impl AsRef<Path>,
        options: &SqliteOptions,
    ) -> Result<Self, StoreError> {}
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
}
impl LedgerStore for SqliteLedger {}
impl fmt::Debug for SqliteLedger {}

// tool_runtime_sqlite::SqliteOptions
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    ..
}
impl SqliteOptions {
    #[must_use]
    pub fn adopt_rows(self, adopt: bool) -> Self {}
    #[must_use]
    pub fn allow_wal_reset_bug(self, allow: bool) -> Self {}
    #[must_use]
    pub fn busy_timeout(self, timeout: Duration) -> Self {}
    #[must_use]
    pub fn check_on_open(self, check: bool) -> Self {}
    #[must_use]
    pub fn checksum_keys(self, keys: &KeyRing) -> Self {}
    pub fn export(self, path: impl AsRef<Path>) -> Result<StoreExport, StoreError> {}
    #[must_use]
    pub fn max_queued(self, limit: usize) -> Self {}
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {}
    #[must_use]
    pub fn sync_commits(self, sync: bool) -> Self {}
}
impl Default for SqliteOptions {}

// tool_runtime_sqlite::SqliteSessions
pub type SqliteSessions = SealedSessions<SqliteStore>;

// tool_runtime_sqlite::SqliteStore
#[derive(Clone)]
pub struct SqliteStore {
    ..
}
impl SqliteStore {
    #[must_use]
    pub const fn check(&self) -> FileCheck {}
    pub async fn close(&self) {}
    pub async fn damaged_keys(
        &self,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {}
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
    #[must_use]
    pub fn options() -> SqliteOptions {}
}
impl BudgetStore for SqliteStore {}
impl EvidenceStore for SqliteStore {}
impl GrantStore for SqliteStore {}
impl IdempotencyStore for SqliteStore {}
impl OutboxStore for SqliteStore {}
impl OutputStore for SqliteStore {}
impl SessionTable for SqliteStore {}
impl TicketStore for SqliteStore {}
impl fmt::Debug for SqliteStore {}

// tool_runtime_sqlite::SqliteTransaction
#[derive(Clone)]
pub struct SqliteTransaction(_);
impl SqliteTransaction {
    pub async fn run<T, F>(&self, work: F) -> Result<T, SqliteTransactionError>
    where
        T: PartialEq + Clone + Send + Sync + 'static,
        F: Fn(&Connection) -> rusqlite::Result<T> + Send + Sync + 'static,
    {}
}
impl FromCall for SqliteTransaction {}
impl StoreTransaction for SqliteTransaction {}
impl fmt::Debug for SqliteTransaction {}

// tool_runtime_sqlite::SqliteTransactionError
#[derive(Debug)]
#[non_exhaustive]
pub enum SqliteTransactionError {
    Statement(rusqlite::Error),
    Store(StoreError),
    Ended,
}
impl Error for SqliteTransactionError {}
impl ToolFailure for SqliteTransactionError {}
impl fmt::Display for SqliteTransactionError {}

// tool_runtime_sqlite::rusqlite = rusqlite

