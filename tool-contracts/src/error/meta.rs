//! Metadata of an error.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, is_false, reads};
use crate::{Evidence, Warning};

/// The metadata of a failed call.
///
/// ```
/// use tool_contracts::ToolErrorMeta;
///
/// let meta = ToolErrorMeta::new(10).with_attempts(3);
/// assert_eq!(serde_json::to_string(&meta)?, r#"{"took_ms":10,"attempts":3}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_error_meta"))]
pub struct ToolErrorMeta {
    /// The time until the error occurred, in milliseconds.
    took_ms: u64,
    /// The number of attempts, including the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    attempts: Option<u32>,
    /// True if this is the stored output of an earlier call with the same idempotency key.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    replayed: bool,
    /// True if the call was a dry run.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    dry_run: bool,
    /// Warnings for the caller beside the error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Warning>>")]
    warnings: Vec<Warning>,
    /// The time for which the failure may be cached, in seconds, for example out of stock.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// The stored evidence of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

impl ToolErrorMeta {
    /// Creates the metadata of a call that failed after this many milliseconds.
    #[must_use]
    pub fn new(took_ms: u64) -> Self {
        Self { took_ms, ..Self::default() }
    }

    /// Sets the number of attempts.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { attempts: Some(attempts), ..self }
    }

    /// Sets whether this is the stored output of an earlier call.
    #[must_use]
    pub fn with_replayed(self, replayed: bool) -> Self {
        Self { replayed, ..self }
    }

    /// Sets whether the call was a dry run.
    #[must_use]
    pub fn with_dry_run(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }

    /// Sets the warnings.
    #[must_use]
    pub fn with_warnings(self, warnings: impl IntoIterator<Item = Warning>) -> Self {
        Self { warnings: warnings.into_iter().collect(), ..self }
    }

    /// Sets how long the failure may be cached, in seconds.
    #[must_use]
    pub fn with_ttl_seconds(self, ttl_seconds: u64) -> Self {
        Self { ttl_seconds: Some(ttl_seconds), ..self }
    }

    /// Sets the stored evidence.
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence: Some(evidence), ..self }
    }

    /// Returns the time until the error occurred, in milliseconds.
    #[must_use]
    pub const fn took_ms(&self) -> u64 {
        self.took_ms
    }

    /// Returns the number of attempts, including the last one.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        self.attempts
    }

    /// Returns whether this is the stored output of an earlier call.
    #[must_use]
    pub const fn replayed(&self) -> bool {
        self.replayed
    }

    /// Returns whether the call was a dry run.
    #[must_use]
    pub const fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Returns the warnings beside the error.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns how long the failure may be cached, in seconds.
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {
        self.ttl_seconds
    }

    /// Returns the stored evidence of the failure.
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Splits off the fields that a response envelope contains beside `meta`.
    pub(crate) fn split_envelope_fields(
        mut self,
    ) -> (Self, Vec<Warning>, Option<u64>, Option<Evidence>) {
        let warnings = std::mem::take(&mut self.warnings);
        let (ttl_seconds, evidence) = (self.ttl_seconds.take(), self.evidence.take());
        (self, warnings, ttl_seconds, evidence)
    }

    pub(crate) fn with_envelope_fields(
        self,
        warnings: Vec<Warning>,
        ttl_seconds: Option<u64>,
        evidence: Option<Evidence>,
    ) -> Self {
        Self { warnings, ttl_seconds, evidence, ..self }
    }
}

reads! {
    ToolErrorMeta, "the meta of an error";
    required took_ms = "took_ms", leaf wire::Whole<u64>;
    optional attempts = "attempts", leaf wire::Whole<u32>;
    optional replayed = "replayed", leaf wire::Flag;
    optional dry_run = "dry_run", leaf wire::Flag;
    optional warnings = "warnings", leaf wire::Texts;
    optional ttl_seconds = "ttl_seconds", leaf wire::Whole<u64>;
    optional evidence = "evidence", nested Evidence;
    => Ok(ToolErrorMeta {
        took_ms,
        attempts,
        replayed: replayed.unwrap_or_default(),
        dry_run: dry_run.unwrap_or_default(),
        warnings: warnings.unwrap_or_default(),
        ttl_seconds,
        evidence,
    })
}
