//! Appending: each group of records is one statement, which is a transaction by itself.

use tokio_postgres::Row;
use tokio_postgres::types::Type;
use tool_runtime_core::store::StoreError;
use tool_runtime_core::store::signed::whole;
use tool_runtime_record::ledger::stores::check_order;
use tool_runtime_record::ledger::{
    CHECKPOINT_CHAIN, ChainEntry, Checkpoint, WriterChain, WriterState,
};
use uuid::Uuid;

use super::columns::SearchColumns;
use super::{PostgresLedger, number};
use crate::columns::column;
use crate::error::damaged;
use crate::statement::Statement;

const APPEND: &str = r#"
    SELECT "SCHEMA".append_records(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS size"#;

const APPEND_CHECKPOINT: &str = r#"
    SELECT "SCHEMA".append_checkpoint(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) AS size"#;

impl PostgresLedger {
    /// Appends entries to this writer's chain.
    pub(super) fn append_own(
        &self,
        entries: &[ChainEntry],
        head: Option<&Checkpoint>,
        closes: bool,
    ) -> Result<(), StoreError> {
        let chain = self.own_chain()?;
        let Some(first) = entries.first().map(ChainEntry::seq) else { return Ok(()) };
        check_order(first, entries)?;
        match self.append(self.appending(APPEND, chain, entries, head, closes)?)? {
            Some(size) if size == first => Ok(()),
            Some(size) => check_order(size, entries),
            None => Err(damaged(format!(
                "the ledger's chain {chain} is not in the database any longer: open the ledger again"
            ))),
        }
    }

    /// Appends an entry to the chain of checkpoints; false if another writer has appended one meanwhile.
    pub(super) fn append_over_heads(
        &self,
        entry: &ChainEntry,
        head: &Checkpoint,
        covered: &[WriterChain],
    ) -> Result<bool, StoreError> {
        self.own_chain()?;
        let entries = std::slice::from_ref(entry);
        let chains = covered.iter().map(|chain| chain.id).collect();
        let sizes = covered.iter().map(|chain| whole(chain.size)).collect();
        let lost = covered.iter().map(|chain| chain.state == WriterState::Lost).collect();
        let call =
            self.appending(APPEND_CHECKPOINT, CHECKPOINT_CHAIN, entries, Some(head), false)?;
        let call = call.list::<Uuid>(chains, Type::UUID_ARRAY).list::<i64>(sizes, Type::INT8_ARRAY);
        let call = call.list::<bool>(lost, Type::BOOL_ARRAY);
        self.append(call).map(|size| size == Some(entry.seq()))
    }

    /// Returns the size that the chain had; none if it does not exist.
    fn append(&self, call: Statement) -> Result<Option<u64>, StoreError> {
        let size = |row: &Row| Ok(column::<Option<i64>>(row, "size")?.map(number));
        Ok(self.connection.call(call, size)?.pop().flatten())
    }

    fn appending(
        &self,
        sql: &'static str,
        chain: Uuid,
        entries: &[ChainEntry],
        head: Option<&Checkpoint>,
        closes: bool,
    ) -> Result<Statement, StoreError> {
        let first = entries.first().map_or(0, ChainEntry::seq);
        let head = head.map(serde_json::to_vec).transpose();
        let head = head.map_err(|error| damaged(format!("a head has no JSON form: {error}")))?;
        let bodies = entries.iter().map(|entry| entry.body().unwrap_or_default());
        let (columns, times): (Vec<_>, Vec<_>) = bodies.clone().map(SearchColumns::read).unzip();
        let settings = self.connection.settings();
        let bytes = |part: fn(&ChainEntry) -> &[u8; 32]| {
            entries.iter().map(|entry| part(entry).to_vec()).collect::<Vec<_>>()
        };
        Ok(Statement::new(sql)
            .text(&settings.lock_timeout.as_millis().to_string())
            .text(&settings.synchronous_commit)
            .uuid(chain)
            .number(whole(first))
            .optional_bytes(head)
            .flag(closes)
            .list(times, Type::INT8_ARRAY)
            .bytes_list(bytes(|entry| entry.leaf().as_bytes()))
            .list(entries.iter().map(|entry| entry.key().to_owned()).collect(), Type::TEXT_ARRAY)
            .bytes_list(bytes(ChainEntry::mac))
            .list(columns.iter().map(|it| it.tenant).collect(), Type::UUID_ARRAY)
            .list(columns.iter().map(|it| it.trace).collect(), Type::INT8_ARRAY)
            .list(columns.iter().map(|it| it.request).collect(), Type::INT8_ARRAY)
            .list(columns.iter().map(|it| it.tool.clone()).collect(), Type::TEXT_ARRAY)
            .list(columns.iter().map(|it| it.failed).collect(), Type::BOOL_ARRAY)
            .bytes_list(bodies.map(|body| body.as_bytes().to_vec()).collect()))
    }
}
