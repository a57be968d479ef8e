//! A trace's records, as they are shown.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ledger::RecordedCall;

/// Gives what the ledger knows of a trace, in the order of the ledger.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::http) struct TraceRecords {
    /// The trace.
    pub(super) trace_id: String,
    /// A page of its records.
    pub(super) records: Vec<TraceRecord>,
    /// What `after` says for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<u64>,
}

/// Gives one record of the ledger.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::http) struct TraceRecord {
    /// The record's number in the ledger.
    pub(super) seq: u64,
    /// The call that it tells of.
    pub(super) call: RecordedCall,
}
