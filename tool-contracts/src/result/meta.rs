//! Metadata of a result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Attachment, BudgetUse, Coercion, Evidence};
use crate::{
    portable::normalized_object,
    wire::{self, is_false, reads},
};

/// A warning for the caller about a result that is usable but imperfect.
pub type Warning = String;

/// The metadata of a successful call: duration, attachments, sources, tokens, converted arguments.
///
/// Only `took_ms` is required. An empty list and `false` are the same as absent. A new field needs
/// a page in `docs/rfc`.
///
/// ```
/// use tool_contracts::{Coercion, ToolResultMeta};
///
/// let meta = ToolResultMeta::new(42)
///     .with_cache_hit(true)
///     .with_coercions([Coercion::new("/limit", "string", "integer")]);
/// assert_eq!(meta.took_ms(), 42);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_result_meta"))]
pub struct ToolResultMeta {
    /// The duration of the call, in milliseconds.
    took_ms: u64,
    /// The number of items from each source.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_counts: Option<BTreeMap<String, u64>>,
    /// The selected profile (`embedding_profile`, `vector_space_id`, …).
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<Map<String, Value>>,
    /// True if the result came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_hit: Option<bool>,
    /// The number of tokens used, such as `prompt` and `completion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_usage: Option<BTreeMap<String, u64>>,
    /// Warnings about a result that is usable but imperfect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Warning>>")]
    warnings: Vec<Warning>,
    /// The arguments that were converted to another type than the model wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Coercion>>")]
    coercions: Vec<Coercion>,
    /// The time for which the result may be cached, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// The stored evidence of this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// True if this is the stored output of an earlier call with the same idempotency key.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    replayed: bool,
    /// The number of attempts, including the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    attempts: Option<u32>,
    /// True if the call was a dry run.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    dry_run: bool,
    /// JSON Pointers to the arguments that a person changed before the call ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    edits: Vec<String>,
    /// The parts of budgets that the call has taken, of those that its caller may see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<BudgetUse>>")]
    budget: Vec<BudgetUse>,
    /// The files, images and links that the tool attached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Attachment>>")]
    // Here and not beside `data`: the outermost object is the union that every reader matches.
    attachments: Vec<Attachment>,
}

impl ToolResultMeta {
    /// Creates the metadata of a call that took this many milliseconds.
    #[must_use]
    pub fn new(took_ms: u64) -> Self {
        Self { took_ms, ..Self::default() }
    }

    /// Sets how long the call took, in milliseconds.
    #[must_use]
    pub fn with_took_ms(self, took_ms: u64) -> Self {
        Self { took_ms, ..self }
    }

    /// Sets the number of items from each source.
    #[must_use]
    pub fn with_source_counts(self, counts: BTreeMap<String, u64>) -> Self {
        Self { source_counts: Some(counts), ..self }
    }

    /// Sets the selected profile.
    #[must_use]
    pub fn with_routing(self, routing: Map<String, Value>) -> Self {
        Self { routing: Some(normalized_object(routing)), ..self }
    }

    /// Sets whether the result came from a cache.
    #[must_use]
    pub fn with_cache_hit(self, cache_hit: bool) -> Self {
        Self { cache_hit: Some(cache_hit), ..self }
    }

    /// Sets the token usage.
    #[must_use]
    pub fn with_token_usage(self, usage: BTreeMap<String, u64>) -> Self {
        Self { token_usage: Some(usage), ..self }
    }

    /// Sets the warnings.
    #[must_use]
    pub fn with_warnings(self, warnings: impl IntoIterator<Item = Warning>) -> Self {
        Self { warnings: warnings.into_iter().collect(), ..self }
    }

    /// Sets the coerced arguments.
    #[must_use]
    pub fn with_coercions(self, coercions: impl IntoIterator<Item = Coercion>) -> Self {
        Self { coercions: coercions.into_iter().collect(), ..self }
    }

    /// Sets how long the result may be cached, in seconds.
    #[must_use]
    pub fn with_ttl_seconds(self, ttl_seconds: u64) -> Self {
        Self { ttl_seconds: Some(ttl_seconds), ..self }
    }

    /// Sets the stored evidence.
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence: Some(evidence), ..self }
    }

    /// Sets whether this is the stored output of an earlier call.
    #[must_use]
    pub fn with_replayed(self, replayed: bool) -> Self {
        Self { replayed, ..self }
    }

    /// Sets the number of attempts.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { attempts: Some(attempts), ..self }
    }

    /// Sets whether this was a dry run.
    #[must_use]
    pub fn with_dry_run(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }

    /// Sets the JSON Pointers to the arguments that a person changed.
    #[must_use]
    pub fn with_edits(self, edits: impl IntoIterator<Item = String>) -> Self {
        Self { edits: edits.into_iter().collect(), ..self }
    }

    /// Sets the parts of budgets that the call has taken.
    #[must_use]
    pub fn with_budget(self, budget: impl IntoIterator<Item = BudgetUse>) -> Self {
        Self { budget: budget.into_iter().collect(), ..self }
    }

    /// Sets the attachments.
    #[must_use]
    pub fn with_attachments(self, attachments: impl IntoIterator<Item = Attachment>) -> Self {
        Self { attachments: attachments.into_iter().collect(), ..self }
    }

    /// Returns how long the call took, in milliseconds.
    #[must_use]
    pub const fn took_ms(&self) -> u64 {
        self.took_ms
    }

    /// Returns the number of items from each source.
    #[must_use]
    pub const fn source_counts(&self) -> Option<&BTreeMap<String, u64>> {
        self.source_counts.as_ref()
    }

    /// Returns the selected profile.
    #[must_use]
    pub const fn routing(&self) -> Option<&Map<String, Value>> {
        self.routing.as_ref()
    }

    /// Returns whether the result came from a cache.
    #[must_use]
    pub const fn cache_hit(&self) -> Option<bool> {
        self.cache_hit
    }

    /// Returns the token usage.
    #[must_use]
    pub const fn token_usage(&self) -> Option<&BTreeMap<String, u64>> {
        self.token_usage.as_ref()
    }

    /// Returns the warnings about an imperfect result.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the coerced arguments.
    #[must_use]
    pub fn coercions(&self) -> &[Coercion] {
        &self.coercions
    }

    /// Returns how long the result may be cached, in seconds.
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {
        self.ttl_seconds
    }

    /// Returns the stored evidence.
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Returns whether this is the stored output of an earlier call.
    #[must_use]
    pub const fn replayed(&self) -> bool {
        self.replayed
    }

    /// Returns the number of attempts, including the last one.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        self.attempts
    }

    /// Returns whether this was a dry run.
    #[must_use]
    pub const fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Returns the JSON Pointers to the arguments that a person changed.
    #[must_use]
    pub fn edits(&self) -> &[String] {
        &self.edits
    }

    /// Returns the parts of budgets that the call has taken.
    #[must_use]
    pub fn budget(&self) -> &[BudgetUse] {
        &self.budget
    }

    /// Returns the files, images and links that the tool attached.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
}

impl ToolResultMeta {
    /// Splits off the fields that the response envelope contains itself.
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
    ToolResultMeta, "the meta of a result";
    required took_ms = "took_ms", leaf wire::Whole<u64>;
    optional source_counts = "source_counts", leaf wire::Counts;
    optional routing = "routing", leaf wire::Object;
    optional cache_hit = "cache_hit", leaf wire::Flag;
    optional token_usage = "token_usage", leaf wire::Counts;
    optional warnings = "warnings", leaf wire::Texts;
    optional coercions = "coercions", nested Vec<Coercion>;
    optional ttl_seconds = "ttl_seconds", leaf wire::Whole<u64>;
    optional evidence = "evidence", nested Evidence;
    optional replayed = "replayed", leaf wire::Flag;
    optional attempts = "attempts", leaf wire::Whole<u32>;
    optional dry_run = "dry_run", leaf wire::Flag;
    optional edits = "edits", leaf wire::Texts;
    optional budget = "budget", nested Vec<BudgetUse>;
    optional attachments = "attachments", nested Vec<Attachment>;
    => Ok(ToolResultMeta {
        took_ms,
        source_counts,
        routing,
        cache_hit,
        token_usage,
        warnings: warnings.unwrap_or_default(),
        coercions: coercions.unwrap_or_default(),
        ttl_seconds,
        evidence,
        replayed: replayed.unwrap_or_default(),
        attempts,
        dry_run: dry_run.unwrap_or_default(),
        edits: edits.unwrap_or_default(),
        budget: budget.unwrap_or_default(),
        attachments: attachments.unwrap_or_default(),
    })
}
