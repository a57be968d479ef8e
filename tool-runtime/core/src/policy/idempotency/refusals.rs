//! The refusals of keyed calls.

use std::time::Duration;

use tool_contracts::{CallStatus, ErrorCode};

use crate::dispatch::refusal::{Refusal, lease_lost};
use crate::failure::Failure;
use crate::policy::store_client::store_failure;
use crate::refusal_reason::RefusalReason;
use crate::store::StoreError;
use crate::timer::whole_millis;

fn refusal(code: ErrorCode, reason: RefusalReason, message: &'static str) -> Failure {
    let failure = Failure::from_code(code).with_message(message).with_reason(reason);
    failure.with_effect_none()
}

fn not_executed(failure: Failure) -> Box<Refusal> {
    Refusal::new(CallStatus::NotExecuted, failure)
}

pub(super) fn key_required() -> Box<Refusal> {
    let message = "this tool requires an idempotency key, which the host has to set";
    not_executed(refusal(ErrorCode::InvalidArgument, RefusalReason::KeyRequired, message))
}

/// Refuses a key without a principal, which it belongs to.
pub(super) fn no_principal() -> Box<Refusal> {
    let message = "an idempotency key belongs to a user or an actor, and this call has neither";
    not_executed(refusal(ErrorCode::Unauthorized, RefusalReason::NoPrincipal, message))
}

pub(in crate::policy) fn key_reused() -> Box<Refusal> {
    let message = "this idempotency key belongs to a call with other arguments";
    not_executed(refusal(ErrorCode::InvalidArgument, RefusalReason::KeyReused, message))
}

/// The bounds of `retry_after_ms` while another call runs under the key.
const MAX_WAIT: Duration = Duration::from_secs(1);
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

pub(super) fn in_flight(left: Duration) -> Box<Refusal> {
    let wait = left.clamp(SHORTEST_WAIT, MAX_WAIT);
    let message = "the same call is still running; try again later for its answer";
    let failure = refusal(ErrorCode::Conflict, RefusalReason::InFlight, message);
    not_executed(failure.with_retry_after_ms(whole_millis(wait)))
}

/// Refuses a call whose key was taken over before it ran.
pub(super) fn taken_over() -> Box<Refusal> {
    not_executed(lease_lost())
}

/// The `retry_after_ms` of a caller above its quota, which people free rather than time.
pub(in crate::policy) const QUOTA_RETRY_AFTER_MS: u64 = 60_000;

/// Refuses a call whose earlier run has an unknown outcome, which only a person can resolve.
// Not `CONFLICT`: a retry never helps, a person can.
pub(super) fn outcome_unknown() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call may have had its effect or not: \
             a person has to find out before it can run again",
        )
        .with_reason(RefusalReason::OutcomeUnknown)
        .with_effect_unknown();
    not_executed(failure)
}

pub(super) fn store_failed(error: &StoreError) -> Box<Refusal> {
    let message = "the store of idempotency keys failed, and without it this call could run twice; \
                   it was not run";
    not_executed(store_failure(error).with_message(message).with_effect_none())
}

/// Refuses a call whose key has a damaged record; the reason goes to the log only.
pub(super) fn record_damaged(log: impl Into<String>) -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call was recorded, and the record is damaged: \
             a person has to find out what happened before it can run again",
        )
        .with_reason(RefusalReason::RecordDamaged)
        .with_effect_unknown()
        .with_log(log);
    not_executed(failure)
}

/// Refuses a repeat of a call whose outcome stayed unknown until its record was archived.
pub(super) fn outcome_archived() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call may have had its effect or not, and was never resolved: \
             its key is used up; a person who has found out may send the call under a new key",
        )
        .with_reason(RefusalReason::OutcomeArchived)
        .with_effect_unknown();
    not_executed(failure)
}

/// Refuses a new key to a caller that has reached its quota of unknown outcomes.
pub(super) fn unknown_outcomes_full() -> Box<Refusal> {
    let message = "too many earlier calls of this caller have an unknown outcome: \
                   a person has to resolve some of them first";
    let failure = refusal(ErrorCode::RateLimited, RefusalReason::UnknownOutcomesFull, message);
    not_executed(failure.with_retry_after_ms(QUOTA_RETRY_AFTER_MS))
}
