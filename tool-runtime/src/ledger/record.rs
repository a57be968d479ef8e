//! What a record says: the JSON texts that the chain links.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tool_contracts::{ActorType, CallStatus, Effect};
use uuid::Uuid;

use super::chain::Checkpoint;
use super::query::written_ms;
use crate::dispatch::Origin;
use crate::store::UnixMillis;

/// What one record of the ledger says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Record {
    /// A call, from its opening to its end.
    Call(Box<RecordedCall>),
    /// A writer began to write.
    Began(Began),
    /// A writer has closed the ledger: everything that it had taken is written.
    Closed(Closed),
    /// Records of calls that were not written, because the writer was behind.
    Shed(Shed),
    /// The contents of old records were given up.
    Forgotten(Forgotten),
    /// The hash of the tree of all records before this one.
    Checkpoint(Checkpoint),
    /// Somebody has done something with what is kept under lock.
    Access(Access),
    /// Something that a newer release writes.
    Unknown,
}

/// A call as the ledger keeps it.
///
/// Times are RFC 3339 in UTC, hashes are 64 hexadecimal digits behind the name of the algorithm:
/// `sha256:…` where anybody may check it, `hmac-sha256:KEY:…` under the ledger's key of this id where
/// what is hashed may be guessed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedCall {
    /// When it ended.
    pub at: String,
    /// When it was opened.
    pub opened_at: String,
    /// What ties together what belongs to one request.
    pub trace_id: String,
    /// The graph's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The run of an upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingestion_run_id: Option<String>,
    /// The tenant.
    pub tenant_id: Uuid,
    /// The tenant's short name, as the caller wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_slug: Option<String>,
    /// Who asked.
    #[serde(default, skip_serializing_if = "Principal::is_nobody")]
    pub principal: Principal,
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
    /// What a call of the tool does to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Whether it was answered well.
    pub status: RecordStatus,
    /// How it ended.
    pub ended: CallStatus,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RecordedError>,
    /// How long it took from when everybody had allowed it, in milliseconds; 0 for one that was not.
    pub latency_ms: u64,
    /// How often the tool was tried.
    pub attempts: u32,
    /// Where the answer comes from.
    #[serde(default, skip_serializing_if = "RecordedOrigin::is_own")]
    pub origin: RecordedOrigin,
    /// Whether it had to be without effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Whether it is the dry run of a call that somebody had to decide about.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// The record that it repeats, to see whether the answer is still the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<Uuid>,
    /// Who allowed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<RecordedApproval>,
    /// The hash of the canonical arguments; none if they have no canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// The hash of the canonical answer, always under the ledger's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_hash: Option<String>,
    /// The arguments as a log may hold them, if they are kept: JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
    /// Whether something in `input` stands for what was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub input_redacted: bool,
    /// The snapshot that proves the answer, `ev_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The hash of that snapshot under the ledger's key, where this call made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_digest: Option<String>,
}

/// Who asked for a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
#[schemars(rename = "RecordedPrincipal")]
pub struct Principal {
    /// The user on whose behalf it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What set it off: `user`, `agent` or `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_type: Option<ActorType>,
    /// The id of what set it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl Principal {
    fn is_nobody(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a call was answered well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::exhaustive_enums, reason = "an envelope is one or the other")]
pub enum RecordStatus {
    /// With the tool's answer.
    Success,
    /// With an error.
    Error,
}

/// What went wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedError {
    /// What a machine does next: `TIMEOUT`, `VALIDATION`, …
    pub class: String,
    /// What happened: one of the contract's codes, or one of the tool's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The message that the caller got, without anything sensitive of the call and with what the
    /// ledger's patterns find replaced; at most 128 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is known of the effect: `none`, `unknown`, or `done` where the tool has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Why a call was not let through: `rate_limit`, `queue_full`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where the answer of a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordedOrigin {
    /// From the call itself.
    #[default]
    Call,
    /// From an earlier one that asked the same, and is still fresh.
    Cache,
    /// From an earlier one under the same idempotency key.
    Replay,
}

impl RecordedOrigin {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    fn is_own(&self) -> bool {
        *self == Self::Call
    }
}

impl From<Origin> for RecordedOrigin {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Call => Self::Call,
            Origin::Cache => Self::Cache,
            Origin::Replay => Self::Replay,
        }
    }
}

/// Who allowed a call, or is asked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedApproval {
    /// Who allowed it; nobody yet where the call ended with a ticket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The ticket that the call came back by, or was put away behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<Uuid>,
}

/// That a writer began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Began {
    /// When.
    pub at: String,
    /// Whether the one before had not closed the ledger: its last records may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_crash: bool,
    /// How many bytes of a record that was only half written were set aside.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub torn_bytes: u64,
}

/// That a writer has closed the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Closed {
    /// When.
    pub at: String,
    /// How many calls it has recorded since it began.
    pub calls: u64,
    /// How many it could not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shed: u64,
}

/// How many calls were not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shed {
    /// When this was written.
    pub at: String,
    /// How many calls.
    pub calls: u64,
    /// When the first of them ended.
    pub since: String,
}

/// Whose contents were given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Forgotten {
    /// When.
    pub at: String,
    /// All records before this one: their hashes stay, so that the chain can still be checked.
    pub before: u64,
}

/// What somebody has done with what is kept under lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Access {
    /// When.
    pub at: String,
    /// What: `read`, `replay`, `shred`, `approve`, …
    pub action: String,
    /// Who.
    pub by: String,
    /// Why; of what was refused, why it was.
    pub reason: String,
    /// Whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<Uuid>,
    /// What it was done with: a snapshot's id, a trace's, a ticket's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// How it stands: `asked`, `done`, `refused`, or `failed: …` with the reason.
    pub outcome: String,
    /// How many accesses the record stands for, where it is more than one: refused ones that were
    /// too many to be recorded one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl Access {
    /// Says that somebody does something at this moment, and why; further facts may be set.
    pub fn new(
        at: UnixMillis,
        action: impl Into<String>,
        by: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            at: written_ms(at.get()),
            action: action.into(),
            by: by.into(),
            reason: reason.into(),
            tenant_id: None,
            subject: None,
            outcome: "asked".to_owned(),
            count: None,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// Reads a record's text.
    ///
    /// # Errors
    /// It is no JSON object with a `kind`, or lacks what its kind has.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let kind = serde_json::from_str::<Kind>(text)?.kind;
        Ok(match kind.as_str() {
            "call" => Self::Call(Box::new(serde_json::from_str(text)?)),
            "began" => Self::Began(read(text)?),
            "closed" => Self::Closed(read(text)?),
            "shed" => Self::Shed(read(text)?),
            "forgotten" => Self::Forgotten(read(text)?),
            "checkpoint" => Self::Checkpoint(read(text)?),
            "access" => Self::Access(read(text)?),
            _ => Self::Unknown,
        })
    }

    /// Returns the call, if it is one.
    #[must_use]
    pub fn as_call(&self) -> Option<&RecordedCall> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Writes the text that the chain links.
    pub(super) fn to_text(&self) -> Box<str> {
        match self {
            Self::Call(call) => text("call", call),
            Self::Began(note) => text("began", note),
            Self::Closed(note) => text("closed", note),
            Self::Shed(note) => text("shed", note),
            Self::Forgotten(note) => text("forgotten", note),
            Self::Checkpoint(note) => text("checkpoint", note),
            Self::Access(note) => text("access", note),
            Self::Unknown => r#"{"kind":"unknown"}"#.into(),
        }
    }
}

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// About how many bytes most records take.
const USUAL: usize = 1_024;

/// Writes an object with its kind in front. (serde's own tags cannot hold raw JSON.)
pub(super) fn text(kind: &str, body: &impl Serialize) -> Box<str> {
    let mut text = Vec::with_capacity(USUAL);
    text.extend_from_slice(br#"{"kind":""#);
    text.extend_from_slice(kind.as_bytes());
    text.push(b'"');
    let members = text.len();
    serde_json::to_writer(&mut text, body).expect("records are written to memory as JSON");
    // They go on in the same object.
    text[members] = b',';
    // Copied, and not shrunk: that would leave a hole behind each record.
    std::str::from_utf8(&text).expect("JSON is text").into()
}
