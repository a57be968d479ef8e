//! The traits through which ledger, evidence and tracing take part in a call.
//!
//! Before the tool runs they may delay or refuse a call: its record has no capacity, or its required
//! evidence has no vault. After the run they may name the evidence in `meta`, add a warning or
//! `details.record` if the record is not confirmed, and replace an answer whose required evidence
//! could not be kept. The pipeline works without implementations; the features `ledger`, `evidence`
//! and `trace` have one each.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use super::call_record::CallRecord;
use super::outcome::CallOutcome;
use super::refusal::Refusal;
use crate::tool::CallScope;

/// A call's wait for the ledger or the vault.
pub type Wait<'c> = BoxFuture<'c, Result<(), Box<Refusal>>>;

/// An answer's wait for its record.
pub type Confirmation<'c> = BoxFuture<'c, RecordState>;

/// The state of a call's record when its answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    Stored,
    /// The record is queued, and not known to be in the store.
    Unconfirmed,
    /// The ledger has no record of the call: it is closed, or the record was left out or lost.
    LeftOut,
}

/// Keeps a record of every call, from its opening to its end.
pub trait CallRecorder: fmt::Debug + Send + Sync {
    /// Counts a call that is opened; returns the current time, in milliseconds since the epoch.
    fn call_opened(&self) -> u64;

    /// Returns the current time, in milliseconds since the epoch.
    fn now_ms(&self) -> u64;

    /// Waits until the ledger accepts the record of a call that is to run; `None` if it does now.
    fn reserve<'c>(&'c self, scope: &'c CallScope) -> Option<Wait<'c>>;

    /// Waits until the queue of records has capacity; `None` if it has now.
    fn wait_for_capacity(&self) -> Option<BoxFuture<'_, ()>>;

    /// Takes the record of a call that has ended; never waits.
    ///
    /// Returns the record's number if the answer has to wait for the record.
    fn call_ended(&self, record: &CallRecord<'_>) -> Option<u64>;

    /// Waits until the record with this number is in the store, at most about as long as `left`.
    fn wait_until_stored<'c>(
        &'c self,
        scope: &'c CallScope,
        number: u64,
        left: Duration,
    ) -> Confirmation<'c>;
}

/// A ledger that a runtime can record its calls in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no ledger",
    label = "expected a `tool_runtime::ledger::Ledger`",
    note = "the type is behind the feature `ledger` of `tool-runtime`: `features = [\"ledger\"]`"
)]
pub trait CallLedger {
    /// Returns what records the calls of one runtime.
    fn recorder(&self) -> Arc<dyn CallRecorder>;
}

impl<L> CallLedger for L
where
    L: Deref<Target: CallLedger>,
{
    fn recorder(&self) -> Arc<dyn CallRecorder> {
        (**self).recorder()
    }
}

/// Collects the evidence of tools' answers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` keeps no evidence",
    label = "expected a `tool_runtime::evidence::EvidenceKeeper`",
    note = "the type is behind the feature `evidence` of `tool-runtime`: `features = [\"evidence\"]`"
)]
pub trait EvidenceCollector: fmt::Debug + Send + Sync {
    /// Checks, before the tool runs, that the evidence of the call could be stored.
    fn check_ready<'c>(&'c self, scope: &'c CallScope) -> Wait<'c>;

    /// Stores the evidence of an answer and names it in the answer's `meta`.
    fn collect<'c>(
        &'c self,
        scope: &'c CallScope,
        ended: CallOutcome,
    ) -> BoxFuture<'c, CallOutcome>;
}

/// Runs every call inside something, such as a span.
pub(crate) trait CallInstrument: fmt::Debug + Send + Sync {
    /// Returns whether a call that begins now is to be instrumented; if not, nothing is boxed.
    fn is_enabled(&self) -> bool;

    /// Runs a call inside the instrument.
    fn instrument<'c>(
        &'c self,
        scope: &'c CallScope,
        run: BoxFuture<'c, CallOutcome>,
    ) -> BoxFuture<'c, CallOutcome>;

    /// Records the end of a call, also of one that never ran.
    fn call_ended(&self, record: &CallRecord<'_>);
}
