//! Values that a tool borrows from its call: progress, dry run, the recorder of `meta`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use tool_contracts::{EvidenceSource, ToolContext};

use super::panic_guard::catch_panic;
use super::{Attachment, CallScope, Cancellation};
use crate::failure::Failure;

/// A value that a tool's borrowed parameter gets from the call itself.
///
/// Implemented for [`ToolContext`], [`Cancellation`], [`Progress`], [`DryRun`], [`MetaRecorder`],
/// [`Idempotency`](crate::Idempotency), [`UserInput`](crate::UserInput), and `Attachments` of the feature `attachments`; implement it for a type of your own, and every tool may borrow it:
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::contracts::ErrorCode;
///
/// struct User(String);
///
/// impl FromCall for User {
///     fn from_call(call: &CallScope) -> Result<Self, Failure> {
///         let id = call.cx().user_id().ok_or(ErrorCode::Unauthorized)?;
///         Ok(Self(id.to_owned()))
///     }
/// }
///
/// /// Greets the user.
/// #[ai_tool(effect = "read")]
/// async fn greet(user: &User) -> String {
///     format!("hello, {}", user.0)
/// }
/// ```
///
/// It runs when the call is executed, after approval. A type that does not implement it is state:
/// it must be given to [`RuntimeBuilder::state`](crate::RuntimeBuilder::state).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a call",
    note = "implement `FromCall` for it, or give a value to the builder with `.state(…)`"
)]
pub trait FromCall: Sized + Send + Sync + 'static {
    /// True for a transaction of the store, which is committed with the call's answer: a call of a tool that borrows
    /// it has had no effect until then, and is run again after a crash.
    const IS_TRANSACTION: bool = false;

    /// Makes the value.
    ///
    /// # Errors
    /// The failure that answers the call; the tool does not run.
    fn from_call(call: &CallScope) -> Result<Self, Failure>;
}

impl FromCall for ToolContext {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(call.cx().clone())
    }
}

impl FromCall for Cancellation {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self::for_scope(call))
    }
}

/// The dry-run flag of a call: the tool performs no effect and answers what it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DryRun(bool);

impl DryRun {
    /// Makes the value that a unit test hands to a tool's function.
    #[must_use]
    pub const fn new(active: bool) -> Self {
        Self(active)
    }

    /// True: perform no effect; answer what would happen.
    #[must_use]
    pub const fn is_active(self) -> bool {
        self.0
    }
}

impl FromCall for DryRun {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self(call.dry_run()))
    }
}

/// One step that a tool reported.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// The share that is done, from 0.0 to 1.0, if the tool knows it.
    pub fraction: Option<f64>,
    /// A text about the current step, for a person.
    pub message: String,
}

pub(crate) type ProgressSink = Arc<dyn Fn(ProgressUpdate) + Send + Sync>;

/// Lets a tool report how far it is.
///
/// The host listens with [`ToolCall::on_progress`](crate::ToolCall::on_progress); without a listener
/// a report costs nothing. Reports after the end of the call are dropped.
#[derive(Clone)]
pub struct Progress {
    scope: Option<CallScope>,
}

impl Progress {
    /// Makes a value without a listener, for a unit test of a tool's function.
    #[must_use]
    pub const fn silent() -> Self {
        Self { scope: None }
    }

    /// Reports what is being done, and how much is done if that is known (0.0 to 1.0).
    pub fn report(&self, fraction: impl Into<Option<f64>>, message: impl Into<String>) {
        let Some(scope) = self.scope.as_ref() else { return };
        if let Some(sink) = scope.progress_sink() {
            let fraction = fraction.into().map(|share| share.clamp(0.0, 1.0));
            let message = scope.scrub_public(message.into());
            let update = ProgressUpdate { fraction, message };
            // A panic of the listener must not fail the tool.
            drop(catch_panic(|| sink(update)));
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

impl FromCall for Progress {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self { scope: Some(call.clone()) })
    }
}

/// The entries that a tool added to its answer's `meta`.
#[derive(Debug, Default)]
pub struct MetaDraft {
    pub(crate) source_counts: BTreeMap<String, u64>,
    pub(crate) routing: Map<String, Value>,
    pub(crate) token_usage: BTreeMap<String, u64>,
    pub(crate) warnings: Vec<String>,
    pub(crate) cache_hit: Option<bool>,
    pub(crate) evidence_draft: EvidenceDraft,
    pub(crate) attachments: Vec<Attachment>,
}

/// The sources and rules that a tool recorded for the evidence of its answer.
#[derive(Debug, Clone, Default)]
pub struct EvidenceDraft {
    pub sources: Vec<EvidenceSource>,
    /// The versions of sets of rules.
    pub rules: BTreeMap<String, String>,
    /// The digest of the snapshot that holds all this, once it is kept.
    #[allow(dead_code, reason = "only the feature `evidence` keeps snapshots")]
    pub snapshot: Option<[u8; 32]>,
}

/// Lets a tool add to its answer's `meta`: sources, routing, token usage, warnings.
///
/// Entries that are recorded after the call has ended are dropped, and so are those of a failed call
/// or of a failed attempt.
#[derive(Clone)]
pub struct MetaRecorder {
    target: RecordingTarget,
}

/// The call that a recorder writes to.
#[derive(Clone)]
pub(super) enum RecordingTarget {
    /// A call and the number of the attempt: tasks that an earlier attempt left running record nothing.
    Call(CallScope, u32),
    Nowhere,
}

impl RecordingTarget {
    pub(super) fn for_call(call: &CallScope) -> Self {
        Self::Call(call.clone(), call.attempt())
    }

    pub(super) fn write(&self, change: impl FnOnce(&mut MetaDraft)) {
        if let Self::Call(scope, attempt) = self {
            scope.with_meta(*attempt, change);
        }
    }

    /// Removes the call's secrets from a text of the tool, for the reader of the answer.
    pub(super) fn shown(&self, text: String) -> String {
        match self {
            Self::Call(scope, _) => scope.scrub_public(text),
            Self::Nowhere => text,
        }
    }

    /// Removes everything sensitive of the call from a text of the tool, for a record.
    pub(super) fn recorded(&self, text: String) -> String {
        match self {
            Self::Call(scope, _) => scope.scrub_log(text),
            Self::Nowhere => text,
        }
    }
}

/// The most warnings one answer carries; further ones are dropped.
const MAX_WARNINGS: usize = 64;

impl MetaRecorder {
    /// Makes a recorder that keeps nothing, for a unit test of a tool's function.
    #[must_use]
    pub const fn detached() -> Self {
        Self { target: RecordingTarget::Nowhere }
    }

    /// Sets how many items a source gave: `meta.source_counts`.
    pub fn source_count(&self, source: impl Into<String>, count: u64) {
        let source = self.target.shown(source.into());
        self.write(|draft| {
            draft.source_counts.insert(source, count);
        });
    }

    /// Sets whether the answer comes from a cache of the tool itself: `meta.cache_hit`.
    pub fn cache_hit(&self, hit: bool) {
        self.write(|draft| draft.cache_hit = Some(hit));
    }

    /// Sets an entry of `meta.routing`; a value that is not JSON is left out.
    pub fn routing(&self, key: impl Into<String>, value: impl Serialize) {
        if let Ok(mut value) = serde_json::to_value(value) {
            let key = self.target.shown(key.into());
            if let RecordingTarget::Call(scope, _) = &self.target {
                scope.scrub_json(&mut value);
            }
            self.write(|draft| drop(draft.routing.insert(key, value)));
        }
    }

    /// Sets how many tokens of a kind were used: `meta.token_usage`.
    pub fn token_usage(&self, kind: impl Into<String>, tokens: u64) {
        let kind = self.target.shown(kind.into());
        self.write(|draft| {
            draft.token_usage.insert(kind, tokens);
        });
    }

    /// Adds to `meta.warnings`. A model reads it. At most 64 are kept.
    pub fn warning(&self, text: impl Into<String>) {
        let text = self.target.shown(text.into());
        self.write(|draft| {
            if draft.warnings.len() < MAX_WARNINGS {
                draft.warnings.push(text);
            }
        });
    }

    fn write(&self, change: impl FnOnce(&mut MetaDraft)) {
        self.target.write(change);
    }
}

impl fmt::Debug for MetaRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetaRecorder").finish_non_exhaustive()
    }
}

impl FromCall for MetaRecorder {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self { target: RecordingTarget::for_call(call) })
    }
}
