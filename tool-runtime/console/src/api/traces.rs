//! The records of a trace in the API, and replays of its reads.

use axum::http::Method;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Api, ApiError, Caller, read, with_query};

/// A page of the records of a trace.
#[derive(Debug, Deserialize)]
pub(crate) struct TraceRecords {
    pub(crate) records: Vec<TraceRecord>,
    pub(crate) next: Option<String>,
}

/// A record of a call.
#[derive(Debug, Deserialize)]
pub(crate) struct TraceRecord {
    pub(crate) seq: u64,
    /// The chain in which the number stands, if several writers share the ledger.
    pub(crate) chain: Option<Uuid>,
    pub(crate) kind: String,
    pub(crate) call: Box<RawValue>,
}

/// The parts of a recorded call that a timeline has.
#[derive(Debug, Deserialize)]
pub(crate) struct RecordedCall {
    pub(crate) at: DateTime<Utc>,
    pub(crate) opened_at: DateTime<Utc>,
    pub(crate) tool: String,
    pub(crate) status: String,
    pub(crate) error: Option<RecordedError>,
    pub(crate) approval: Option<RecordedApproval>,
    #[serde(default)]
    pub(crate) latency_ms: u64,
    #[serde(default)]
    pub(crate) attempts: u32,
    pub(crate) evidence: Option<String>,
}

/// The decision about a recorded call, or the ticket that waits for one.
#[derive(Debug, Deserialize)]
pub(crate) struct RecordedApproval {
    pub(crate) ticket: Option<String>,
}

/// The error of a recorded call.
#[derive(Debug, Deserialize)]
pub(crate) struct RecordedError {
    #[serde(rename = "type")]
    pub(crate) error_type: String,
    pub(crate) code: Option<String>,
}

#[derive(Deserialize)]
struct ReplayReport {
    calls: Vec<ReplayedCall>,
}

/// A call of a trace, with the verdict about its repetition.
#[derive(Debug, Deserialize)]
pub(crate) struct ReplayedCall {
    pub(crate) seq: u64,
    pub(crate) chain: Option<Uuid>,
    pub(crate) verdict: Verdict,
}

/// The verdict about the repetition of a call.
#[derive(Debug, Deserialize)]
pub(crate) struct Verdict {
    #[serde(rename = "verdict")]
    pub(crate) word: String,
    pub(crate) reason: Option<String>,
    pub(crate) diff: Option<Box<RawValue>>,
    pub(crate) earlier_error: Option<String>,
    pub(crate) error: Option<String>,
}

impl Api {
    /// Reads a page of a trace's records.
    pub(crate) async fn trace(
        &self,
        caller: &Caller<'_>,
        trace: &str,
        after: Option<&str>,
    ) -> Result<TraceRecords, ApiError> {
        let query = after.map(|after| ("after", after));
        self.page(caller, &path(trace, ""), query.as_slice()).await
    }

    /// Runs this many of a trace's calls again, if they are reads.
    pub(crate) async fn replay(
        &self,
        caller: &Caller<'_>,
        (trace, after): (&str, Option<&str>),
        reason: &str,
        calls: usize,
    ) -> Result<Vec<ReplayedCall>, ApiError> {
        let body = json!({ "reason": reason }).to_string().into_bytes();
        let query = after.map(|after| ("after", after));
        let path = with_query(&path(trace, "/replay"), query.as_slice(), calls);
        let report = self.send(caller, Method::POST, &path, Some(body)).await?;
        read::<ReplayReport>(report).map(|report| report.calls)
    }
}

fn path(trace: &str, what: &str) -> String {
    let id: String = form_urlencoded::byte_serialize(trace.as_bytes()).collect();
    // A plus is a space in a query alone.
    format!("/traces/{}{what}", id.replace('+', "%20"))
}
