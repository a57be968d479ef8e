//! How the runtime's calls get into the ledger.

use std::fmt;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, Effect, ErrorCode, ToolSpec};

use super::Ledger;
use super::config::AnswerAfter;
use super::ended::EndedCall;
use crate::call::CallScope;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::seams::{CallRecorder, Recorded, Wait};
use crate::dispatch::{CallRecord, RuntimeBuilder};
use crate::failure::Failure;
use crate::refusal_reason::RefusalReason;

/// The longest that a call waits for room in the ledger, and an answer for its record.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an answer may wait for its record when the call's time is up: a write that ended at its
/// deadline is the one of which least is known without a record.
const GRACE: Duration = Duration::from_millis(250);

/// Stands for the number of a record that was left out.
const LEFT_OUT: u64 = u64::MAX;

impl RuntimeBuilder {
    /// Records every call in this ledger, whatever its end.
    #[must_use]
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.recorder = Some(std::sync::Arc::new(Recorder(ledger.clone())));
        self
    }
}

/// Takes the records of one runtime's calls.
struct Recorder(Ledger);

impl CallRecorder for Recorder {
    fn opened(&self) -> u64 {
        self.0.stats().opens();
        self.now_ms()
    }

    fn now_ms(&self) -> u64 {
        self.0.clock().now().get()
    }

    fn ready<'c>(&'c self, scope: &'c CallScope) -> Option<Wait<'c>> {
        match self.0.queue().keep_room() {
            None => None,
            Some(true) => {
                scope.keep_room();
                None
            }
            Some(false) => Some(self.wait(scope).boxed()),
        }
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        self.0.queue().is_full().then(|| self.0.queue().room().boxed())
    }

    fn closed(&self, record: &CallRecord<'_>) -> Option<u64> {
        let has_room = record.call().scope().is_some_and(CallScope::take_room);
        let ended = EndedCall::of(record, self.now_ms());
        let is_awaited = self.answers_after(record) == AnswerAfter::Recorded;
        let number = self.0.queue().push(ended, has_room, is_awaited);
        self.0.stats().ends(number.is_some());
        is_awaited.then(|| number.unwrap_or(LEFT_OUT))
    }

    fn recorded<'c>(&'c self, scope: &'c CallScope, number: u64, left: Duration) -> Recorded<'c> {
        let recorded = async move {
            let limit = left.clamp(GRACE, PATIENCE);
            let recorded = self.0.queue().recorded(number);
            let is_recorded =
                number != LEFT_OUT && scope.runtime().within(limit, recorded).await == Some(true);
            if !is_recorded {
                self.0.stats().leaves_unconfirmed();
            }
            is_recorded
        };
        recorded.boxed()
    }
}

impl Recorder {
    /// Says what the answer of a call waits for.
    fn answers_after(&self, record: &CallRecord<'_>) -> AnswerAfter {
        let answering = self.0.answering();
        match record.spec().map(ToolSpec::effect) {
            Some(_) if !record.may_have_run() => AnswerAfter::Queued,
            Some(Effect::Write | Effect::Destructive) if !record.cx().dry_run() => answering.writes,
            Some(_) => answering.reads,
            None => AnswerAfter::Queued,
        }
    }

    /// Waits until the records before this one's have been written.
    async fn wait(&self, scope: &CallScope) -> Result<(), Box<Refusal>> {
        let room = self.0.queue().kept_room();
        let kept = scope.runtime().within(scope.budget().min(PATIENCE), room).await;
        if kept.ok_or_else(full)? {
            scope.keep_room();
        }
        Ok(())
    }
}

fn full() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Unavailable)
        .with_message("calls cannot be recorded at the moment, so none is run; try again later")
        .with_retry_after_ms(1_000)
        .with_reason(RefusalReason::LedgerFull)
        .with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recorder").field(&self.0).finish()
    }
}
