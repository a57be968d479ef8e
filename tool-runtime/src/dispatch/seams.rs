//! The seams for whoever keeps the record of calls: they delay a call, and never change what it
//! answers but to add the proof of it.
//!
//! The core runs without anything behind them; the features `ledger`, `evidence` and `trace` bring
//! one implementation each.

use std::fmt;
use std::time::Duration;

use futures::future::BoxFuture;

use super::pipeline::CallOutcome;
use super::record::CallRecord;
use super::refusal::Refusal;
use crate::call::CallScope;
use crate::timer::Job;

/// A wait of a call for its record.
pub(crate) type Wait<'c> = BoxFuture<'c, Result<(), Box<Refusal>>>;

/// A wait of an answer for its record; whether that is in the store.
pub(crate) type Recorded<'c> = BoxFuture<'c, bool>;

/// Keeps a record of every call, from its opening to its end.
pub(crate) trait CallRecorder: fmt::Debug + Send + Sync {
    /// Counts a call that is opened; returns the time, in milliseconds since the epoch.
    fn opened(&self) -> u64;

    /// Returns the time, in milliseconds since the epoch.
    fn now_ms(&self) -> u64;

    /// Waits until a call may run as far as its record is concerned; none if it may at once.
    fn ready<'c>(&'c self, scope: &'c CallScope) -> Option<Wait<'c>>;

    /// Waits until the records written so far leave room; none if there is room.
    fn room(&self) -> Option<BoxFuture<'_, ()>>;

    /// Takes the record of a call that has ended; never waits.
    ///
    /// Returns the record's number where the answer has to wait for it.
    fn closed(&self, record: &CallRecord<'_>) -> Option<u64>;

    /// Waits until the record of this number is in the store, about as long as the call has left.
    fn recorded<'c>(&'c self, scope: &'c CallScope, number: u64, left: Duration) -> Recorded<'c>;
}

/// Keeps the proof of what a tool answered.
pub(crate) trait EvidenceCollector: fmt::Debug + Send + Sync {
    /// Checks that the proof of a call could be kept, before the tool runs.
    fn ready<'c>(&'c self, scope: &'c CallScope) -> Wait<'c>;

    /// Keeps the proof of an answer, and adds to its `meta` where that is.
    fn prove<'c>(&'c self, scope: &'c CallScope, ended: CallOutcome) -> BoxFuture<'c, CallOutcome>;
}

/// Surrounds the run of every call, as a span does.
pub(crate) trait CallInstrument: fmt::Debug + Send + Sync {
    /// Tells whether anybody is interested in a call that begins now; nothing is boxed if not.
    fn wants(&self) -> bool;

    /// Runs a call inside.
    fn around<'c>(
        &'c self,
        scope: &'c CallScope,
        run: BoxFuture<'c, CallOutcome>,
    ) -> BoxFuture<'c, CallOutcome>;

    /// Runs a job of the call that is under way inside, on whatever thread takes it.
    fn across(&self, job: Job) -> Job;

    /// Hears of a call that has ended, also of one that never ran.
    fn closed(&self, record: &CallRecord<'_>);
}
