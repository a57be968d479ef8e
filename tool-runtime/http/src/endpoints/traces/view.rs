//! The bodies of `/traces`.

use schemars::JsonSchema;
use serde::Serialize;
use tool_runtime_record::ledger::{RecordPosition, RecordedCall};
use uuid::Uuid;

/// The ledger's records of a trace, in the order of the ledger.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TraceRecords {
    /// The trace.
    pub(super) trace_id: String,
    /// A page of records.
    pub(super) records: Vec<TraceRecord>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<RecordPosition>,
}

/// The ledger's records of a request, in the order of the ledger.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RequestRecords {
    /// The caller's id of the request.
    pub(super) request_id: String,
    /// A page of records.
    pub(super) records: Vec<TraceRecord>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<RecordPosition>,
}

/// One record of the ledger.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TraceRecord {
    /// The record's number in its chain.
    pub(super) seq: u64,
    /// The id of the record's chain, if several writers share the ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) chain: Option<Uuid>,
    /// The kind of the record: `run`, `stored_answer`, `waiting`, `not_run`, `preview`, `dry_run` or
    /// `replay`. Of a write, only a `run` may have had its effect.
    pub(super) kind: &'static str,
    /// The recorded call.
    pub(super) call: RecordedCall,
}
