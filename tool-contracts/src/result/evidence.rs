//! Evidence of outputs.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads, write_time},
};

/// A reference to the stored evidence of an output, with the sources of the output.
///
/// ```
/// use tool_contracts::{Evidence, EvidenceSource};
///
/// let source = EvidenceSource::new("tool", "pricing.quote", "sha256:9f86d0", "2024-05-03T12:34:56Z".parse()?)?;
/// let evidence = Evidence::new("ev_01HX", vec![source])?;
/// assert_eq!(evidence.sources()[0].name(), "pricing.quote");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("evidence"))]
pub struct Evidence {
    /// The snapshot's id, `ev_…`.
    #[schemars(length(min = 1))]
    snapshot_id: String,
    /// The sources of the output.
    sources: Vec<EvidenceSource>,
}

impl Evidence {
    /// Creates a reference to a snapshot.
    ///
    /// # Errors
    /// Returns an error if the id is empty.
    pub fn new(
        snapshot_id: impl Into<String>,
        sources: Vec<EvidenceSource>,
    ) -> Result<Self, ContractError> {
        let evidence = Self { snapshot_id: snapshot_id.into(), sources };
        let mut problems = Problems::new("Evidence");
        problems.filled("snapshot_id", Some(&evidence.snapshot_id));
        problems.finish().map(|()| evidence)
    }

    /// Returns the snapshot's id, `ev_…`.
    #[must_use]
    pub fn snapshot_id(&self) -> &str {
        &self.snapshot_id
    }

    /// Returns the sources of the output.
    #[must_use]
    pub fn sources(&self) -> &[EvidenceSource] {
        &self.sources
    }
}

/// A source of an output, with its content at the time of reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("evidence_source"))]
pub struct EvidenceSource {
    /// The kind of source, such as `tool`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    kind: String,
    /// The source's name.
    #[schemars(length(min = 1))]
    name: String,
    /// The hash of its canonical content, prefixed by the algorithm.
    #[schemars(length(min = 1))]
    hash: String,
    /// The time at which it was read.
    #[serde(serialize_with = "write_time")]
    #[schemars(extend("pattern" = wire::WITH_OFFSET))]
    #[serde(rename = "ts")]
    timestamp: DateTime<Utc>,
}

impl EvidenceSource {
    /// Creates a source; `hash` is the hash of its canonical content.
    ///
    /// # Errors
    /// Returns an error if a text is empty or the year does not have four digits.
    pub fn new(
        kind: impl Into<String>,
        name: impl Into<String>,
        hash: impl Into<String>,
        timestamp: DateTime<Utc>,
    ) -> Result<Self, ContractError> {
        let source = Self { kind: kind.into(), name: name.into(), hash: hash.into(), timestamp };
        let mut problems = Problems::new("EvidenceSource");
        problems.filled("type", Some(&source.kind));
        problems.filled("name", Some(&source.name));
        problems.filled("hash", Some(&source.hash));
        problems.writable("ts", &source.timestamp);
        problems.finish().map(|()| source)
    }

    /// Returns the kind of source, such as `tool`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the source's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the hash of its canonical content, prefixed by the algorithm.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the time at which it was read.
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {
        self.timestamp
    }
}

reads! {
    Evidence, "evidence";
    required snapshot_id = "snapshot_id", leaf wire::FilledText;
    required sources = "sources", nested Vec<EvidenceSource>;
    => Ok(Evidence { snapshot_id, sources })
}

reads! {
    EvidenceSource, "a source of evidence";
    required kind = "type", leaf wire::FilledText;
    required name = "name", leaf wire::FilledText;
    required hash = "hash", leaf wire::FilledText;
    required timestamp = "ts", leaf wire::Instant;
    => Ok(EvidenceSource { kind, name, hash, timestamp })
}
