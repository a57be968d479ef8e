//! What a keyed call is told that does not run.

use std::time::Duration;

use tool_contracts::{CallStatus, ErrorCode};

use crate::dispatch::refusal::{Refusal, superseded};
use crate::failure::Failure;
use crate::policy::asking::store_down;
use crate::store::StoreError;

fn refusal(code: ErrorCode, reason: &str, message: &'static str) -> Failure {
    let failure = Failure::of(code).with_message(message).with_detail("reason", reason);
    failure.with_detail("effect", "none")
}

fn not_executed(failure: Failure) -> Box<Refusal> {
    Refusal::new(CallStatus::NotExecuted, failure)
}

pub(super) fn key_required() -> Box<Refusal> {
    let message = "this tool runs under an idempotency key only, which the host has to give";
    not_executed(refusal(ErrorCode::InvalidArgument, "key_required", message))
}

/// A key belongs to somebody.
pub(super) fn nobody() -> Box<Refusal> {
    let message =
        "an idempotency key belongs to somebody, and this call names no user and no actor";
    not_executed(refusal(ErrorCode::Unauthorized, "no_principal", message))
}

pub(super) fn key_reused() -> Box<Refusal> {
    let message = "this idempotency key belongs to a call with other arguments";
    not_executed(refusal(ErrorCode::InvalidArgument, "key_reused", message))
}

/// How long a caller is told to wait for a call that still runs, at most.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

pub(super) fn in_flight(left: Duration) -> Box<Refusal> {
    let wait = left.clamp(SHORTEST_WAIT, LONGEST_WAIT);
    let message = "the same call is still running; try again later for its answer";
    let failure = refusal(ErrorCode::Conflict, "in_flight", message);
    not_executed(failure.with_retry_after_ms(u64::try_from(wait.as_millis()).unwrap_or(1_000)))
}

/// Somebody else took the key over before this run began.
pub(super) fn taken_over() -> Box<Refusal> {
    not_executed(superseded())
}

/// How long a caller is told to wait whose share is full: people free it, not time.
pub(in crate::policy) const SHARE_WAIT_MS: u64 = 60_000;

/// Only a person can tell what became of an earlier run.
pub(super) fn outcome_unknown() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call may have had its effect or not: \
             a person has to find out before it can run again",
        )
        .with_detail("reason", "outcome_unknown")
        .with_detail("effect", "unknown");
    not_executed(failure)
}

pub(super) fn store_failed(error: &StoreError) -> Box<Refusal> {
    let message = "the store that keeps this call from running twice cannot take it; \
                   it was not run";
    not_executed(store_down(error).with_message(message).with_detail("effect", "none"))
}

/// Refuses a call whose key has a record that cannot be trusted; the log reads why.
pub(super) fn record_damaged(log: impl Into<String>) -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call was recorded, and the record is damaged: \
             a person has to find out what happened before it can run again",
        )
        .with_detail("reason", "record_damaged")
        .with_detail("effect", "unknown")
        .with_log(log);
    not_executed(failure)
}

/// Refuses a repeat of a call whose outcome stayed unknown until its record was archived.
pub(super) fn outcome_archived() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call may have had its effect or not, and was never resolved: \
             its key is used up; a person who has found out may send the call under a new key",
        )
        .with_detail("reason", "outcome_archived")
        .with_detail("effect", "unknown");
    not_executed(failure)
}

/// Refuses a new key to a caller that has as many unknown outcomes as it may.
pub(super) fn unknown_outcomes_full() -> Box<Refusal> {
    let message = "too many earlier calls of this caller have an outcome that is not known: \
                   a person has to resolve some of them first";
    let failure = refusal(ErrorCode::RateLimited, "unknown_outcomes_full", message);
    not_executed(failure.with_retry_after_ms(SHARE_WAIT_MS))
}
