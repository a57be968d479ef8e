// tool_runtime_postgres::PostgresLedger
pub struct PostgresLedger {
    ..
}
impl PostgresLedger {
    pub fn open(
        store: &PostgresStore,
        writer: impl Into<String>,
    ) -> Result<Self, StoreError> {}
    pub fn read_only(store: &PostgresStore) -> Result<Self, StoreError> {}
}
impl LedgerStore for PostgresLedger {}
impl SharedLedger for PostgresLedger {}
impl fmt::Debug for PostgresLedger {}

// tool_runtime_postgres::PostgresOptions
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    ..
}
impl PostgresOptions {
    pub async fn connect(self, url: &str) -> Result<PostgresStore, StoreError> {}
    #[must_use]
    pub fn connect_timeout(self, limit: Duration) -> Self {}
    #[must_use]
    pub fn lock_timeout(self, limit: Duration) -> Self {}
    #[must_use]
    pub fn max_connections(self, limit: usize) -> Self {}
    #[must_use]
    pub fn max_queued(self, limit: usize) -> Self {}
    #[must_use]
    pub fn migrate(self, migrate: bool) -> Self {}
    pub async fn open(self, pool: Pool) -> Result<PostgresStore, StoreError> {}
    #[must_use]
    pub fn prepared_statements(self, prepare: bool) -> Self {}
    #[must_use]
    pub fn require_durable_commits(self, require: bool) -> Self {}
    #[must_use]
    pub fn root_certificates(self, pem: impl Into<Vec<u8>>) -> Self {}
    #[must_use]
    pub fn schema(self, name: impl Into<String>) -> Self {}
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {}
}
impl Default for PostgresOptions {}

// tool_runtime_postgres::PostgresSessions
pub type PostgresSessions = SealedSessions<PostgresStore>;

// tool_runtime_postgres::PostgresStore
#[derive(Clone)]
pub struct PostgresStore {
    ..
}
impl PostgresStore {
    pub fn close(&self) {}
    pub async fn connect(url: &str) -> Result<Self, StoreError> {}
    pub async fn import(
        &self,
        export: StoreExport,
        progress: impl FnMut(&RowCounts) + Send,
    ) -> Result<RowCounts, StoreError> {}
    #[must_use]
    pub fn options() -> PostgresOptions {}
    pub async fn ping(&self) -> Result<(), StoreError> {}
}
impl BudgetStore for PostgresStore {}
impl EvidenceStore for PostgresStore {}
impl GrantStore for PostgresStore {}
impl IdempotencyStore for PostgresStore {}
impl LimitStore for PostgresStore {}
impl OutboxStore for PostgresStore {}
impl OutputStore for PostgresStore {}
impl SessionTable for PostgresStore {}
impl TicketStore for PostgresStore {}
impl fmt::Debug for PostgresStore {}

// tool_runtime_postgres::PostgresTransaction
#[derive(Clone)]
pub struct PostgresTransaction(_);
impl PostgresTransaction {
    pub async fn execute(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, PostgresTransactionError> {}
    pub async fn query(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, PostgresTransactionError> {}
    pub async fn query_one(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Row, PostgresTransactionError> {}
    pub async fn query_opt(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, PostgresTransactionError> {}
}
impl FromCall for PostgresTransaction {}
impl StoreTransaction for PostgresTransaction {}
impl fmt::Debug for PostgresTransaction {}

// tool_runtime_postgres::PostgresTransactionError
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresTransactionError {
    Connection(StoreError),
    Statement(tokio_postgres::Error),
    Ended,
}
impl PostgresTransactionError {
    #[must_use]
    pub fn code(&self) -> Option<&SqlState> {}
}
impl Error for PostgresTransactionError {}
impl From<tokio_postgres::Error> for PostgresTransactionError {}
impl ToolFailure for PostgresTransactionError {}
impl fmt::Display for PostgresTransactionError {}

