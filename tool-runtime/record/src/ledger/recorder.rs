//! Records the calls of a runtime in its ledger.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, Effect, ErrorCode, ToolSpec};
use tool_runtime_core::dispatch::hooks::{
    CallLedger, CallRecorder, Confirmation, RecordState, Wait,
};
use tool_runtime_core::dispatch::outcome::EffectOutcome;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::dispatch::{AnswerOrigin, CallRecord};
use tool_runtime_core::failure::Failure;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::tool::CallScope;

use super::Ledger;
use super::call_snapshot::CallSnapshot;
use super::config::RecordDurability;
use super::queue::Reservation;

/// The longest time that a call waits for capacity, and an answer for its record.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The longest time that an answer may wait for its record after the call's deadline. A write that
/// ended at its deadline is the call that needs its record most.
const DEADLINE_GRACE: Duration = Duration::from_millis(250);

/// The number of a record that was left out.
const LEFT_OUT: u64 = u64::MAX;

impl CallLedger for Ledger {
    fn recorder(&self) -> Arc<dyn CallRecorder> {
        Arc::new(LedgerRecorder(self.clone()))
    }
}

/// Records the calls of one runtime.
struct LedgerRecorder(Ledger);

impl CallRecorder for LedgerRecorder {
    fn call_opened(&self) -> u64 {
        self.0.stats().count_opened();
        self.now_ms()
    }

    fn now_ms(&self) -> u64 {
        self.0.clock().now().get()
    }

    fn reserve<'c>(&'c self, scope: &'c CallScope) -> Option<Wait<'c>> {
        match self.0.queue().try_reserve() {
            Reservation::Reserved => {
                scope.keep_reservation();
                None
            }
            Reservation::Full => Some(self.wait(scope).boxed()),
            Reservation::Closed if has_effect(scope) => Some(async { Err(closed()) }.boxed()),
            // The answer of a read says that no record was made.
            Reservation::NotNeeded | Reservation::Closed => None,
        }
    }

    fn wait_for_capacity(&self) -> Option<BoxFuture<'_, ()>> {
        self.0.queue().is_full().then(|| self.0.queue().wait_for_capacity().boxed())
    }

    fn call_ended(&self, record: &CallRecord<'_>) -> Option<u64> {
        let is_reserved = record.facts.scope.is_some_and(|scope| scope.take_reservation());
        let ended_call = CallSnapshot::new(record, self.now_ms());
        let is_awaited = self.answers_after(record) == RecordDurability::Stored;
        let number = self.0.queue().push(ended_call, is_reserved, is_awaited);
        self.0.stats().count_ended(number.is_some());
        // The answer of a read says too that a closed ledger does not have it.
        let is_lost = number.is_none() && may_have_run(record) && self.0.queue().is_closed();
        (is_awaited || is_lost).then(|| number.unwrap_or(LEFT_OUT))
    }

    fn wait_until_stored<'c>(
        &'c self,
        scope: &'c CallScope,
        number: u64,
        left: Duration,
    ) -> Confirmation<'c> {
        let recorded = async move {
            // The wait is bounded, since the effect has happened: a call without an answer would be
            // repeated.
            let limit = left.clamp(DEADLINE_GRACE, MAX_WAIT);
            let recorded = self.0.queue().wait_until_written(number);
            let state = if number == LEFT_OUT {
                RecordState::LeftOut
            } else {
                match scope.environment().within(limit, recorded).await {
                    Some(true) => RecordState::Stored,
                    Some(false) => RecordState::LeftOut,
                    None => RecordState::Unconfirmed,
                }
            };
            if state != RecordState::Stored {
                self.0.stats().count_unconfirmed();
            }
            state
        };
        recorded.boxed()
    }
}

impl LedgerRecorder {
    /// Returns how far the record of a call must get before its answer is given.
    fn answers_after(&self, record: &CallRecord<'_>) -> RecordDurability {
        let answer_timing = self.0.answer_timing();
        let effect = record.spec().map(ToolSpec::effect).filter(|_| may_have_run(record));
        match effect {
            None => RecordDurability::Queued,
            Some(Effect::Write | Effect::Destructive) if !record.cx().dry_run() => {
                answer_timing.writes
            }
            Some(Effect::Read | Effect::Write | Effect::Destructive) => answer_timing.reads,
        }
    }

    /// Waits until there is capacity in the ledger's queue.
    async fn wait(&self, scope: &CallScope) -> Result<(), Box<Refusal>> {
        let room = self.0.queue().reserve();
        let reservation = scope.environment().within(scope.budget().min(MAX_WAIT), room).await;
        match reservation.ok_or_else(full)? {
            Reservation::Reserved => scope.keep_reservation(),
            Reservation::Closed if has_effect(scope) => return Err(closed()),
            Reservation::Closed | Reservation::NotNeeded | Reservation::Full => {}
        }
        Ok(())
    }
}

/// Returns whether the call may change something, so that it may not run without a record.
fn has_effect(scope: &CallScope) -> bool {
    scope.tool().effect() != Effect::Read && !scope.dry_run()
}

fn closed() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Unavailable)
        .with_message("the ledger is closed, so the call could not be recorded and was not run")
        .with_reason(RefusalReason::LedgerClosed)
        .with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

fn full() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Unavailable)
        .with_message("too many calls wait to be recorded in the ledger, so the call was not run; retry later")
        .with_retry_after_ms(1_000)
        .with_reason(RefusalReason::LedgerFull)
        .with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

impl fmt::Debug for LedgerRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LedgerRecorder").field(&self.0).finish()
    }
}

/// Returns whether the tool may have run for this answer, now or in the call that it repeats.
fn may_have_run(record: &CallRecord<'_>) -> bool {
    record.ended.effect != EffectOutcome::NotRun || record.origin() != AnswerOrigin::Call
}
