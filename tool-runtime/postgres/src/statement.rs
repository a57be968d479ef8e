//! A statement with its parameters.

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::signed::{count, timestamp, whole};
use tool_runtime_core::store::{Fence, StoreError, UnixMillis};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::error::damaged;

/// A statement, in which the name `SCHEMA` stands for the store's schema, with its parameters in order.
///
/// It is never prepared: a pooler may give the next transaction another session.
pub(crate) struct Statement {
    sql: &'static str,
    parameters: Vec<Parameter>,
}

struct Parameter {
    value: Box<dyn ToSql + Sync + Send>,
    kind: Type,
}

impl Statement {
    pub(crate) fn new(sql: &'static str) -> Self {
        Self { sql, parameters: Vec::new() }
    }

    /// Waits for the other transactions with this lock, until it gets it for the rest of the transaction.
    pub(crate) fn lock(scope: &Digest) -> Self {
        Self::new("SELECT pg_advisory_xact_lock($1)").number(lock_number(scope))
    }

    pub(crate) fn uuid(self, id: Uuid) -> Self {
        self.bind(id, Type::UUID)
    }

    pub(crate) fn digest(self, digest: &Digest) -> Self {
        self.bind(digest.as_bytes().to_vec(), Type::BYTEA)
    }

    pub(crate) fn bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.bind(bytes.into(), Type::BYTEA)
    }

    pub(crate) fn optional_bytes(self, bytes: Option<impl Into<Vec<u8>>>) -> Self {
        self.bind(bytes.map(Into::into), Type::BYTEA)
    }

    pub(crate) fn bytes_list(self, list: Vec<Vec<u8>>) -> Self {
        self.bind(list, Type::BYTEA_ARRAY)
    }

    pub(crate) fn list<T>(self, list: Vec<T>, kind: Type) -> Self
    where
        Vec<T>: ToSql + Sync + Send + 'static,
    {
        self.bind(list, kind)
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.bind(text.to_owned(), Type::TEXT)
    }

    pub(crate) fn time(self, time: UnixMillis) -> Self {
        self.number(timestamp(time))
    }

    pub(crate) fn optional_time(self, time: Option<UnixMillis>) -> Self {
        self.optional_number(time.map(timestamp))
    }

    pub(crate) fn fence(self, fence: Fence) -> Self {
        self.number(whole(fence.get()))
    }

    pub(crate) fn limit(self, limit: usize) -> Self {
        self.number(count(limit))
    }

    pub(crate) fn number(self, number: i64) -> Self {
        self.bind(number, Type::INT8)
    }

    pub(crate) fn optional_number(self, number: Option<i64>) -> Self {
        self.bind(number, Type::INT8)
    }

    pub(crate) fn integer(self, number: i32) -> Self {
        self.bind(number, Type::INT4)
    }

    pub(crate) fn optional_integer(self, number: Option<i32>) -> Self {
        self.bind(number, Type::INT4)
    }

    pub(crate) fn small(self, number: i16) -> Self {
        self.bind(number, Type::INT2)
    }

    pub(crate) fn optional_small(self, number: Option<i16>) -> Self {
        self.bind(number, Type::INT2)
    }

    pub(crate) fn optional_uuid(self, id: Option<Uuid>) -> Self {
        self.bind(id, Type::UUID)
    }

    pub(crate) fn optional_text(self, text: Option<&str>) -> Self {
        self.bind(text.map(ToOwned::to_owned), Type::TEXT)
    }

    pub(crate) fn optional_flag(self, flag: Option<bool>) -> Self {
        self.bind(flag, Type::BOOL)
    }

    pub(crate) fn flag(self, flag: bool) -> Self {
        self.bind(flag, Type::BOOL)
    }

    fn bind(mut self, value: impl ToSql + Sync + Send + 'static, kind: Type) -> Self {
        self.parameters.push(Parameter { value: Box::new(value), kind });
        self
    }

    /// Returns the statement's text for a schema.
    pub(crate) fn sql(&self, schema: &str) -> String {
        self.sql.replace("SCHEMA", schema)
    }

    /// Runs the statement, and returns its rows.
    pub(crate) async fn query(
        &self,
        client: &Client,
        schema: &str,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        client.query_typed(&self.sql(schema), &self.parameters()).await
    }

    pub(crate) fn parameters(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        let mut parameters = Vec::with_capacity(self.parameters.len());
        for Parameter { value, kind } in &self.parameters {
            let value: &(dyn ToSql + Sync) = &**value;
            parameters.push((value, kind.clone()));
        }
        parameters
    }
}

/// Returns the number of the advisory lock of a scope. Two scopes with one number wait for each other.
pub(crate) fn lock_number(scope: &Digest) -> i64 {
    scope.as_bytes().first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes))
}

/// Refuses a text that PostgreSQL cannot store, before a statement fails for it.
pub(crate) fn must_have_no_nul(texts: &[&str]) -> Result<(), StoreError> {
    if texts.iter().any(|text| text.contains('\0')) {
        return Err(damaged(
            "PostgreSQL stores no text with the character U+0000: the host has to refuse it",
        ));
    }
    Ok(())
}
