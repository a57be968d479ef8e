//! The columns of a record, by which it is searched. They follow from its text.

use std::borrow::Cow;

use chrono::DateTime;
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::Row;
use tool_runtime_core::store::StoreError;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::columns::column;
use crate::statement::lock_number;

/// The columns of a record; only a call has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SearchColumns {
    pub(super) tenant: Option<Uuid>,
    pub(super) trace: Option<i64>,
    pub(super) request: Option<i64>,
    pub(super) tool: Option<String>,
    pub(super) failed: Option<bool>,
}

#[derive(Deserialize)]
struct Dated<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    at: Value,
}

#[derive(Deserialize)]
struct Call<'a> {
    tenant_id: Uuid,
    #[serde(borrow)]
    trace_id: Cow<'a, str>,
    #[serde(borrow, default)]
    request_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

impl SearchColumns {
    /// Returns the columns of a record, and its time in milliseconds since 1970; 0 if it has none.
    pub(super) fn read(body: &str) -> (Self, i64) {
        let Ok(Dated { kind, at }) = serde_json::from_str(body) else {
            return (Self::default(), 0);
        };
        let call = (kind == "call").then(|| serde_json::from_str::<Call<'_>>(body).ok()).flatten();
        (call.map(Self::from).unwrap_or_default(), milliseconds(&at))
    }

    pub(super) fn read_row(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            tenant: column(row, "tenant")?,
            trace: column(row, "trace")?,
            request: column(row, "request")?,
            tool: column(row, "tool")?,
            failed: column(row, "failed")?,
        })
    }
}

impl From<Call<'_>> for SearchColumns {
    fn from(call: Call<'_>) -> Self {
        let Call { tenant_id, trace_id, request_id, tool, status } = call;
        Self {
            tenant: Some(tenant_id),
            trace: Some(text_number(&trace_id)),
            request: request_id.as_deref().map(text_number),
            // A text with U+0000 cannot be stored; no tool has such a name.
            tool: Some(tool.replace('\0', "")),
            failed: Some(status == "error"),
        }
    }
}

/// Returns the number by which a text is indexed.
pub(super) fn text_number(text: &str) -> i64 {
    lock_number(&Digest::compute("tool-runtime/postgres/ledger/text", text.as_bytes()))
}

/// A checkpoint's time is a number, that of other records a text.
fn milliseconds(at: &Value) -> i64 {
    let text = at.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    text.map(|time| time.timestamp_millis()).or_else(|| at.as_i64()).unwrap_or(0)
}
