//! Snapshots: the evidence of one call, without its sealed contents.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tool_contracts::{EvidenceSource, ToolContext};
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{ContentsPart, EvidenceError, EvidenceErrorKind, SnapshotId};

/// The domain of a snapshot's own hash.
const DOMAIN: &str = "tool-runtime/evidence/v1/snapshot";

/// The evidence of one call, without arguments and output.
///
/// It serializes to one JSON object. `Debug` shows names and hashes, and not the summary.
///
/// # Examples
/// ```
/// use tool_runtime::canonical::Digest;
/// use tool_runtime::contracts::ToolContext;
/// use tool_runtime::evidence::Snapshot;
/// use tool_runtime::store::UnixMillis;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cx = ToolContext::local();
/// let at = UnixMillis::new(1_800_000_000_000);
/// let snapshot = Snapshot::for_call(&cx, "pricing.quote", "1.0.0", at)
///     .with_input_summary(r#"{"sku":"A-1","card":"***"}"#)?
///     .with_output_hash(format!("sha256:{}", Digest::from_json("answer", "17")?))
///     .with_rule("compliance.policy_ruleset_version", "2025-07");
///
/// assert_eq!(snapshot.trace_id(), cx.trace_id());
/// assert_eq!(snapshot.at(), at);
/// let json = serde_json::to_string(&snapshot)?;
/// assert_eq!(serde_json::from_str::<Snapshot>(&json)?, snapshot);
/// # Ok(())
/// # }
/// # use tool_runtime::serde_json;
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SnapshotJson", into = "SnapshotJson")]
pub struct Snapshot(SnapshotJson);

/// The JSON of a snapshot. The order of the fields is part of its hash.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SnapshotJson {
    snapshot_id: SnapshotId,
    tenant_id: Uuid,
    trace_id: String,
    invocation_id: Uuid,
    tool: String,
    version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    at: UnixMillis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_summary: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rules: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<EvidenceSource>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sealed: Vec<ContentsPart>,
}

impl Snapshot {
    /// Makes the snapshot of a call at this time, under a new id.
    #[must_use]
    pub fn for_call(
        cx: &ToolContext,
        tool: impl Into<String>,
        version: impl Into<String>,
        at: UnixMillis,
    ) -> Self {
        let snapshot_id = SnapshotId::at(at);
        Self(SnapshotJson {
            snapshot_id,
            tenant_id: cx.tenant_id(),
            trace_id: cx.trace_id().to_owned(),
            invocation_id: cx.invocation_id(),
            tool: tool.into(),
            version: version.into(),
            build: None,
            at: snapshot_id.created_at(),
            input_summary: None,
            input_hash: None,
            output_hash: None,
            error: None,
            rules: BTreeMap::new(),
            sources: Vec::new(),
            sealed: Vec::new(),
        })
    }

    /// Sets the hash of the build that ran, such as that of a commit.
    #[must_use]
    pub fn with_build(mut self, build: impl Into<String>) -> Self {
        self.0.build = Some(build.into());
        self
    }

    /// Sets the summary of the input, as a JSON text.
    ///
    /// It is stored and shown as it is: leave secrets and personal data out of it.
    ///
    /// # Errors
    /// `InvalidSnapshot` if it is not a JSON text.
    pub fn with_input_summary(mut self, summary: impl Into<String>) -> Result<Self, EvidenceError> {
        let summary = RawValue::from_string(summary.into())
            .map_err(|_| EvidenceErrorKind::InvalidSnapshot)?;
        self.0.input_summary = Some(summary);
        Ok(self)
    }

    /// Sets the hash of the canonical input, with the algorithm in front.
    ///
    /// An unkeyed hash confirms a guess at the input: use a keyed one where the input can be
    /// guessed.
    #[must_use]
    pub fn with_input_hash(mut self, hash: impl Into<String>) -> Self {
        self.0.input_hash = Some(hash.into());
        self
    }

    /// Sets the hash of the canonical output, with the algorithm in front.
    #[must_use]
    pub fn with_output_hash(mut self, hash: impl Into<String>) -> Self {
        self.0.output_hash = Some(hash.into());
        self
    }

    /// Sets the code of the error that the tool returned; the error is then the output.
    #[must_use]
    pub fn with_error(mut self, code: impl Into<String>) -> Self {
        self.0.error = Some(code.into());
        self
    }

    /// Adds a rule that applied, with its version, such as `compliance.policy_ruleset_version`.
    #[must_use]
    pub fn with_rule(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.0.rules.insert(name.into(), version.into());
        self
    }

    /// Adds a source of the output.
    #[must_use]
    pub fn with_source(mut self, source: EvidenceSource) -> Self {
        self.0.sources.push(source);
        self
    }

    /// Returns the id.
    #[must_use]
    pub const fn id(&self) -> SnapshotId {
        self.0.snapshot_id
    }

    /// Returns the tenant.
    #[must_use]
    pub const fn tenant_id(&self) -> Uuid {
        self.0.tenant_id
    }

    /// Returns the trace.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.0.trace_id
    }

    /// Returns the invocation id of the call.
    #[must_use]
    pub const fn invocation_id(&self) -> Uuid {
        self.0.invocation_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// Returns the tool's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// Returns the hash of the build that ran.
    #[must_use]
    pub fn build(&self) -> Option<&str> {
        self.0.build.as_deref()
    }

    /// Returns the time at which it was made.
    #[must_use]
    pub const fn at(&self) -> UnixMillis {
        self.0.at
    }

    /// Returns the summary of the input, as a JSON text.
    #[must_use]
    pub fn input_summary(&self) -> Option<&str> {
        self.raw_input_summary().map(RawValue::get)
    }

    /// Returns the summary of the input as one JSON value.
    #[must_use]
    pub fn raw_input_summary(&self) -> Option<&RawValue> {
        self.0.input_summary.as_deref()
    }

    /// Returns the hash of the canonical input, with the algorithm in front.
    #[must_use]
    pub fn input_hash(&self) -> Option<&str> {
        self.0.input_hash.as_deref()
    }

    /// Returns the hash of the canonical output, with the algorithm in front.
    #[must_use]
    pub fn output_hash(&self) -> Option<&str> {
        self.0.output_hash.as_deref()
    }

    /// Returns the code of the error that the tool returned; `None` if it answered.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.0.error.as_deref()
    }

    /// Returns the rules that applied, with their versions.
    #[must_use]
    pub const fn rules(&self) -> &BTreeMap<String, String> {
        &self.0.rules
    }

    /// Returns the sources of the output.
    #[must_use]
    pub fn sources(&self) -> &[EvidenceSource] {
        &self.0.sources
    }

    /// Returns the parts of the contents that are sealed with it.
    #[must_use]
    pub fn sealed(&self) -> &[ContentsPart] {
        &self.0.sealed
    }

    /// Computes the hash of the snapshot, without its sealed contents.
    ///
    /// The ledger's record of the call holds it, so that a snapshot can be compared with its
    /// record.
    ///
    /// # Errors
    /// `InvalidSnapshot` if it cannot be serialized to JSON.
    pub fn digest(&self) -> Result<Digest, EvidenceError> {
        self.facts().map(|facts| digest_of(&facts))
    }

    pub(super) fn set_sealed(&mut self, sealed: Vec<ContentsPart>) {
        self.0.sealed = sealed;
    }

    /// Serializes the snapshot to the bytes that are stored and hashed.
    pub(super) fn facts(&self) -> Result<Vec<u8>, EvidenceError> {
        serde_json::to_vec(&self.0).map_err(|_| EvidenceErrorKind::InvalidSnapshot.into())
    }
}

/// Computes the hash of a snapshot from its stored bytes.
pub(super) fn digest_of(facts: &[u8]) -> Digest {
    Digest::compute(DOMAIN, facts)
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("id", &self.id())
            .field("tenant_id", &self.tenant_id())
            .field("trace_id", &self.trace_id())
            .field("tool", &self.tool())
            .field("version", &self.version())
            .field("input_hash", &self.input_hash())
            .field("output_hash", &self.output_hash())
            .field("sealed", &self.sealed())
            .finish_non_exhaustive()
    }
}

impl PartialEq for SnapshotJson {
    fn eq(&self, other: &Self) -> bool {
        let texts = |wire: &Self| serde_json::to_vec(wire).ok();
        self.snapshot_id == other.snapshot_id && texts(self) == texts(other)
    }
}

impl Eq for SnapshotJson {}

impl TryFrom<SnapshotJson> for Snapshot {
    type Error = &'static str;

    fn try_from(wire: SnapshotJson) -> Result<Self, Self::Error> {
        if wire.at != wire.snapshot_id.created_at() {
            return Err("`at` is not the moment in `snapshot_id`");
        }
        Ok(Self(wire))
    }
}

impl From<Snapshot> for SnapshotJson {
    fn from(snapshot: Snapshot) -> Self {
        snapshot.0
    }
}
