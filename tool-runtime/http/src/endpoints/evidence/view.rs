//! The bodies of `/evidence`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tool_contracts::EvidenceSource;
use tool_runtime_record::evidence::{ContentsPart, OpenedSnapshot, Snapshot, SnapshotPage};
use tool_runtime_record::ledger::query::utc_time;
use uuid::Uuid;

/// Lists snapshots of a tenant.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct EvidencePage<'a> {
    /// A page of them, the oldest first.
    evidence: Vec<EvidenceSnapshot<'a>>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Describes the evidence of a call, without sealed contents and without personal data or secrets
/// that the tool's schema marks.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EvidenceSnapshot", deny_unknown_fields)]
pub(crate) struct EvidenceSnapshot<'a> {
    /// The snapshot's id, as `meta.evidence` of the call's answer has it.
    snapshot_id: String,
    /// The trace of the call.
    trace_id: &'a str,
    /// The id of the invocation.
    invocation_id: Uuid,
    /// The tool's name.
    tool: &'a str,
    /// The tool's version.
    version: &'a str,
    /// The build that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<&'a str>,
    /// The time at which the snapshot was made.
    at: Option<DateTime<Utc>>,
    /// The arguments, redacted when the call was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_summary: Option<&'a RawValue>,
    /// The hash of the canonical arguments, with the algorithm in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_hash: Option<&'a str>,
    /// The hash of the canonical answer, with the algorithm in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_hash: Option<&'a str>,
    /// The code of the error that the tool returned; left out if it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// The rules that applied, with their versions.
    rules: &'a BTreeMap<String, String>,
    /// The sources of the answer.
    sources: &'a [EvidenceSource],
    /// The contents that are sealed with the snapshot.
    sealed: &'a [ContentsPart],
}

/// Shows a snapshot with the contents that were sealed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EvidenceContents", deny_unknown_fields)]
pub(crate) struct EvidenceContents<'a> {
    /// The snapshot.
    snapshot: EvidenceSnapshot<'a>,
    /// True if contents are sealed and the caller may not see them.
    redacted: bool,
    /// The exact arguments; a text that is not JSON is a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Box<RawValue>>,
    /// The full answer; a text that is not JSON is a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
}

impl<'a> EvidencePage<'a> {
    pub(super) fn new(page: &'a SnapshotPage) -> Self {
        let evidence = page.snapshots.iter().map(EvidenceSnapshot::new).collect();
        Self { evidence, next: page.next.map(|id| id.to_string()) }
    }
}

impl<'a> EvidenceSnapshot<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot_id: snapshot.id().to_string(),
            trace_id: snapshot.trace_id(),
            invocation_id: snapshot.invocation_id(),
            tool: snapshot.tool(),
            version: snapshot.version(),
            build: snapshot.build(),
            at: utc_time(snapshot.at()),
            input_summary: snapshot.raw_input_summary(),
            input_hash: snapshot.input_hash(),
            output_hash: snapshot.output_hash(),
            error: snapshot.error(),
            rules: snapshot.rules(),
            sources: snapshot.sources(),
            sealed: snapshot.sealed(),
        }
    }
}

impl<'a> EvidenceContents<'a> {
    pub(super) fn new(opened: &'a OpenedSnapshot) -> Self {
        Self {
            snapshot: EvidenceSnapshot::new(&opened.snapshot),
            redacted: opened.redacted,
            arguments: opened.contents.arguments().and_then(json),
            output: opened.contents.output().and_then(json),
        }
    }
}

/// Returns a JSON text unchanged, and any other text as a JSON string.
fn json(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).or_else(|_| to_raw_value(text)).ok()
}
