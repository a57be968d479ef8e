//! The ledger's records: the JSON texts that the chain links.

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tool_contracts::{ActorType, CallStatus, Effect};
use tool_runtime_core::dispatch::AnswerOrigin;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::json::writer;
use uuid::Uuid;

use super::chain::Checkpoint;
use super::query::timestamp_ms;
use super::spending::RecordedSpending;

/// One record of the ledger.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Record {
    /// A call, from its opening to its end.
    Call(Box<RecordedCall>),
    /// A writer began to write.
    Began(WriterBegan),
    /// A writer closed the ledger, and every record that it had taken is stored.
    Closed(WriterClosed),
    /// Calls that were not recorded, because the writer was behind.
    Shed(CallsShed),
    /// The contents of old records were erased. Written as `forgotten`, for compatibility.
    Erased(ContentsErased),
    /// The root hash of the tree of all records before this one.
    Checkpoint(Checkpoint),
    /// Protected data was accessed.
    Access(RecordedAccess),
    /// A kind of record that a newer release writes.
    Unknown,
}

/// The record of a call.
///
/// Times are RFC 3339 in UTC. Hashes are 64 hexadecimal digits after the algorithm's name:
/// `sha256:…`, which needs no key to check, or `hmac-sha256:KEY:…` under the ledger's key with
/// this id, where the hashed value could be guessed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedCall {
    /// When it ended.
    pub at: String,
    /// When it was opened.
    pub opened_at: String,
    /// The trace id, which connects everything that belongs to one request.
    pub trace_id: String,
    /// The graph's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The run of an upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingestion_run_id: Option<String>,
    /// The tenant.
    pub tenant_id: Uuid,
    /// The tenant's slug, as the caller wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_slug: Option<String>,
    /// The caller.
    #[serde(default, skip_serializing_if = "RecordedPrincipal::is_empty")]
    pub principal: RecordedPrincipal,
    /// The site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_id: Option<String>,
    /// The request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The call's own id.
    pub invocation_id: Uuid,
    /// The model's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The name that was called.
    pub tool: String,
    /// The tool's version; none if no tool has the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The effect of the tool: read, write or destructive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The status of the answer: a success or an error.
    pub status: RecordStatus,
    /// The status in which the call ended.
    #[serde(rename = "ended")]
    pub final_status: CallStatus,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RecordedError>,
    /// The time from the last approval to the end, in milliseconds; 0 for a call that was not
    /// approved.
    pub latency_ms: u64,
    /// The number of attempts to run the tool.
    pub attempts: u32,
    /// The source of the answer.
    #[serde(default, skip_serializing_if = "RecordedOrigin::is_own")]
    pub origin: RecordedOrigin,
    /// True if the call was a dry run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// True if the call was the dry run that an approver is shown.
    #[serde(default, rename = "rehearsal", skip_serializing_if = "std::ops::Not::not")]
    pub approval_dry_run: bool,
    /// The record that this call replays, to compare the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<Uuid>,
    /// The amounts that the call asked of budgets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spending: Vec<RecordedSpending>,
    /// The decision about it, or the ticket that waits for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<RecordedApproval>,
    /// The hash of the canonical arguments, or of their text if they have no canonical form; none if
    /// the call named no tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// The hash of the answer, always under the ledger's key: of its canonical form if the tool
    /// leaves evidence, else of its JSON text as it was delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_hash: Option<String>,
    /// The hash of each attachment's content, always under the ledger's key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// The redacted arguments, if they are kept: JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
    /// True if `input` contains replacements for values that were sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub input_redacted: bool,
    /// The id of the snapshot that proves the answer, `ev_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The hash of that snapshot under the ledger's key, if this call made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_digest: Option<String>,
}

/// The caller of a recorded call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedPrincipal {
    /// The user on whose behalf it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The type of the actor: `user`, `agent` or `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_type: Option<ActorType>,
    /// The id of the actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl RecordedPrincipal {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The status of a call's answer: a success or an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::exhaustive_enums, reason = "an envelope is one or the other")]
pub enum RecordStatus {
    /// With the tool's answer.
    Success,
    /// With an error.
    Error,
}

/// The error of a recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedError {
    /// The type, which says what a machine does next: `TIMEOUT`, `VALIDATION`, …
    // Records from before it was renamed say `class`.
    #[serde(rename = "type", alias = "class")]
    pub error_type: String,
    /// The code, which says what happened: one of the contract's, or one of the tool's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The message that the caller got, without sensitive values of the call and with the matches
    /// of the ledger's patterns replaced; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The known effect: `none`, `unknown`, or `done` if the tool has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// The reason for refusing the call: `rate_limit`, `queue_full`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The source of a call's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordedOrigin {
    /// The call itself.
    #[default]
    Call,
    /// The cache: an earlier call with the same arguments, whose answer is cached.
    Cache,
    /// An earlier call under the same idempotency key.
    Replay,
}

impl RecordedOrigin {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    fn is_own(&self) -> bool {
        *self == Self::Call
    }
}

impl From<AnswerOrigin> for RecordedOrigin {
    fn from(origin: AnswerOrigin) -> Self {
        origin.choose(Self::Call, Self::Cache, Self::Replay)
    }
}

/// The decision about a call, or the ticket that waits for one.
///
/// A call that was resumed from a ticket and then refused has the ticket and no name: the decision of
/// another call counts. [`RecordedCall::kind`] says whether the call waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedApproval {
    /// The approver; none if the call was not approved, or its approval had no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The name under which the call was declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declined_by: Option<String>,
    /// The time of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The ticket with which the call was resumed or deferred, also if the ticket was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<Uuid>,
}

/// A writer began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterBegan {
    /// The time.
    pub at: String,
    /// The name that the writer gave itself, if several writers share the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Box<str>>,
    /// True if the writer before had not closed the ledger, so that its last records may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_crash: bool,
    /// The size of a half-written record that was set aside, in bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub torn_bytes: u64,
}

/// A writer closed the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterClosed {
    /// The time.
    pub at: String,
    /// The number of calls that the writer recorded since it began.
    pub calls: u64,
    /// The number of calls that it did not record.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shed: u64,
}

/// Calls that were not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallsShed {
    /// The time at which this record was written.
    pub at: String,
    /// The number of calls.
    pub calls: u64,
    /// The time at which the first of them ended.
    pub since: String,
}

/// The contents of old records were erased. Its kind is written as `forgotten`, for compatibility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContentsErased {
    /// The time.
    pub at: String,
    /// All records before this number lost their contents; their hashes stay, so that the chain can
    /// still be verified.
    pub before: u64,
}

/// An access to protected data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedAccess {
    /// The time.
    pub at: String,
    /// The action: `read`, `replay`, `shred`, `approve`, …
    pub action: String,
    /// The accessing user or service.
    pub by: String,
    /// The reason for the access; for a refused access, the reason for the refusal.
    pub reason: String,
    /// The tenant that owns the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<Uuid>,
    /// The id of the accessed snapshot, trace or ticket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The outcome: `asked`, `done`, `redacted`, `refused`, or `failed: …` with the reason.
    pub outcome: String,
    /// The number of accesses that this record summarizes, if more than one: refused accesses that
    /// were too many to be recorded one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl RecordedAccess {
    /// Records the start of an access; the other fields may be set afterwards.
    pub fn new(
        at: UnixMillis,
        action: impl Into<String>,
        by: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            at: timestamp_ms(at.get()),
            action: action.into(),
            by: by.into(),
            reason: reason.into(),
            tenant_id: None,
            subject: None,
            outcome: RecordedOutcome::Asked.to_string(),
            count: None,
        }
    }
}

/// The outcome of a recorded access.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(dead_code, reason = "most are of the features `evidence` and `http`")]
pub enum RecordedOutcome {
    /// The access is about to be done.
    Asked,
    /// It was done.
    Done,
    /// The snapshot is shown without its sealed contents.
    Redacted,
    /// It was refused.
    Refused,
    /// The access failed for this reason.
    Failed(String),
}

impl fmt::Display for RecordedOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("asked"),
            Self::Done => f.write_str("done"),
            Self::Redacted => f.write_str("redacted"),
            Self::Refused => f.write_str("refused"),
            Self::Failed(why) => write!(f, "failed: {why}"),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// Parses a record's text.
    ///
    /// # Errors
    /// The text is not a JSON object with a `kind`, or lacks a member that its kind requires.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let kind = serde_json::from_str::<RecordKind>(text)?.kind;
        Ok(match kind.as_str() {
            "call" => Self::Call(Box::new(serde_json::from_str(text)?)),
            "began" => Self::Began(read(text)?),
            "closed" => Self::Closed(read(text)?),
            "shed" => Self::Shed(read(text)?),
            "forgotten" => Self::Erased(read(text)?),
            "checkpoint" => Self::Checkpoint(read(text)?),
            "access" => Self::Access(read(text)?),
            _ => Self::Unknown,
        })
    }

    /// Returns the call, if the record is one.
    #[must_use]
    pub fn as_call(&self) -> Option<&RecordedCall> {
        match self {
            Self::Call(call) => Some(call),
            Self::Began(_)
            | Self::Closed(_)
            | Self::Shed(_)
            | Self::Erased(_)
            | Self::Checkpoint(_)
            | Self::Access(_)
            | Self::Unknown => None,
        }
    }

    /// Serializes the record to the text that the chain links.
    pub(super) fn to_text(&self) -> Box<str> {
        match self {
            Self::Call(call) => text("call", call),
            Self::Began(record) => text("began", record),
            Self::Closed(record) => text("closed", record),
            Self::Shed(record) => text("shed", record),
            Self::Erased(record) => text("forgotten", record),
            Self::Checkpoint(record) => text("checkpoint", record),
            Self::Access(record) => text("access", record),
            Self::Unknown => r#"{"kind":"unknown"}"#.into(),
        }
    }
}

#[derive(Deserialize)]
struct RecordKind {
    kind: String,
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// About how many bytes most records take.
const USUAL: usize = 1_024;

/// Serializes an object with `kind` as its first member. (serde's own tags cannot hold raw JSON.)
pub(super) fn text(kind: &str, body: &impl Serialize) -> Box<str> {
    let mut text = Vec::with_capacity(USUAL);
    text.extend_from_slice(br#"{"kind":""#);
    text.extend_from_slice(kind.as_bytes());
    text.push(b'"');
    let members = text.len();
    writer::write(&mut text, body).expect("records are written to memory as JSON");
    // The body's members follow in the same object.
    text[members] = b',';
    // Copied and not shrunk: shrinking would leave a hole in memory behind each record.
    std::str::from_utf8(&text).expect("JSON is text").into()
}
