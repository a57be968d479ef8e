//! Decides what a call does with its idempotency key, from the store's answer to its claim alone.

use crate::policy::ticket_use::TicketUse;
use crate::policy::tool_policy::ConcurrentRepeat;
use crate::store::{ClaimOutcome, Fence, StoredAnswer, UnixMillis};

/// The facts of a call that decide what it may do with its key.
#[derive(Clone, Copy)]
pub(super) struct Claimant<'c> {
    pub(super) ticket: TicketUse<'c>,
    /// True if the call was not approved because a stored answer was expected: it may not run.
    pub(super) replays: bool,
    pub(super) on_concurrent_repeat: ConcurrentRepeat,
}

/// The next step of a call that has claimed its key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyStep {
    /// The key was free: the call runs.
    Run(Fence),
    /// An earlier run left the key without an answer: its outcome is reconciled first.
    Reconcile(Fence),
    /// The call holds the key, may not run, and gives the key back.
    Release {
        fence: Fence,
        /// True if an earlier run may have had its effect.
        in_doubt: bool,
        refusal: KeyRefusal,
    },
    Replay(StoredAnswer),
    Refuse(KeyRefusal),
    /// The key is claimed again later, unless the call's own unused ticket has ended by then.
    Wait,
}

/// The reason why a call does not run under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyRefusal {
    /// Another decision about the ticket has run the call.
    TicketUsed,
    /// The stored answer that would have answered the call has expired.
    NeedsConfirmation,
    /// Another call holds the key until this time.
    InFlight(UnixMillis),
    OtherArguments,
    OutcomeUnknown,
    OutcomeArchived,
    RecordDamaged,
    QuotaExceeded,
}

impl KeyStep {
    /// Returns the fence of a key that the claim has acquired, and whether an earlier run is in doubt.
    pub(super) fn acquired(&self) -> Option<(Fence, bool)> {
        match self {
            Self::Run(fence) => Some((*fence, false)),
            Self::Reconcile(fence) => Some((*fence, true)),
            Self::Release { fence, in_doubt, .. } => Some((*fence, *in_doubt)),
            Self::Replay(_) | Self::Refuse(_) | Self::Wait => None,
        }
    }
}

/// Decides the next step. A call whose ticket is used may only take over the run that used it.
pub(super) fn next_step(outcome: ClaimOutcome, claimant: Claimant<'_>) -> KeyStep {
    match outcome {
        ClaimOutcome::Acquired(fence) => {
            let refusal = match (claimant.replays, claimant.ticket) {
                (true, _) => KeyRefusal::NeedsConfirmation,
                (false, TicketUse::Used(_)) => KeyRefusal::TicketUsed,
                (false, TicketUse::None | TicketUse::Unused(_)) => return KeyStep::Run(fence),
            };
            KeyStep::Release { fence, in_doubt: false, refusal }
        }
        ClaimOutcome::TakenOver(fence) if claimant.replays => {
            KeyStep::Release { fence, in_doubt: true, refusal: KeyRefusal::NeedsConfirmation }
        }
        ClaimOutcome::TakenOver(fence) => KeyStep::Reconcile(fence),
        ClaimOutcome::Settled(answer) => match claimant.ticket {
            // The run that used the ticket has ended, or another run has reconciled it.
            TicketUse::Used(_) => KeyStep::Refuse(KeyRefusal::TicketUsed),
            TicketUse::None | TicketUse::Unused(_) => KeyStep::Replay(answer),
        },
        ClaimOutcome::Running { until } => {
            match (claimant.ticket, claimant.on_concurrent_repeat) {
                // Another approver's decision runs. The ticket's holder is told to retry instead,
                // since that run may have crashed.
                (TicketUse::Used(ticket), _) if ticket.by_approver => {
                    KeyStep::Refuse(KeyRefusal::TicketUsed)
                }
                (_, ConcurrentRepeat::Refuse) => KeyStep::Refuse(KeyRefusal::InFlight(until)),
                (_, ConcurrentRepeat::Wait) => KeyStep::Wait,
            }
        }
        ClaimOutcome::Mismatch => KeyStep::Refuse(KeyRefusal::OtherArguments),
        ClaimOutcome::Unknown(_) => KeyStep::Refuse(KeyRefusal::OutcomeUnknown),
        ClaimOutcome::Archived => KeyStep::Refuse(KeyRefusal::OutcomeArchived),
        ClaimOutcome::Damaged(_) => KeyStep::Refuse(KeyRefusal::RecordDamaged),
        ClaimOutcome::QuotaExceeded => KeyStep::Refuse(KeyRefusal::QuotaExceeded),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::dispatch::RedeemedTicket;

    const FENCE: Fence = Fence::new(7);
    const UNTIL: UnixMillis = UnixMillis::new(1_000);

    fn ticket(by_approver: bool) -> RedeemedTicket {
        let json = "{}".into();
        RedeemedTicket { id: Uuid::nil(), json, expires_at_ms: 0, by_approver, is_used: true }
    }

    /// The steps of one outcome for calls in four states: without a ticket, with an unused one, with
    /// a used one that its holder sends, and with a used one that an approver has resumed.
    #[track_caller]
    fn check(outcome: &ClaimOutcome, replays: bool, repeat: ConcurrentRepeat, steps: [KeyStep; 4]) {
        let (holders, approvers) = (ticket(false), ticket(true));
        let tickets = [
            TicketUse::None,
            TicketUse::Unused(&holders),
            TicketUse::Used(&holders),
            TicketUse::Used(&approvers),
        ];
        for (ticket, step) in tickets.into_iter().zip(steps) {
            let claimant = Claimant { ticket, replays, on_concurrent_repeat: repeat };
            assert_eq!(next_step(outcome.clone(), claimant), step, "{ticket:?}, {repeat:?}");
        }
    }

    #[track_caller]
    fn check_all(outcome: &ClaimOutcome, replays: bool, steps: [fn() -> KeyStep; 4]) {
        for repeat in [ConcurrentRepeat::Refuse, ConcurrentRepeat::Wait] {
            check(outcome, replays, repeat, steps.map(|step| step()));
        }
    }

    fn released(in_doubt: bool, refusal: KeyRefusal) -> KeyStep {
        KeyStep::Release { fence: FENCE, in_doubt, refusal }
    }

    #[test]
    fn a_free_key_runs_the_call_unless_its_ticket_is_used() {
        let run: fn() -> KeyStep = || KeyStep::Run(FENCE);
        let used: fn() -> KeyStep = || released(false, KeyRefusal::TicketUsed);
        check_all(&ClaimOutcome::Acquired(FENCE), false, [run, run, used, used]);
    }

    #[test]
    fn a_repeat_that_was_not_approved_gives_the_key_back() {
        let free: fn() -> KeyStep = || released(false, KeyRefusal::NeedsConfirmation);
        check_all(&ClaimOutcome::Acquired(FENCE), true, [free; 4]);
        let in_doubt: fn() -> KeyStep = || released(true, KeyRefusal::NeedsConfirmation);
        check_all(&ClaimOutcome::TakenOver(FENCE), true, [in_doubt; 4]);
    }

    #[test]
    fn an_abandoned_run_is_reconciled_whatever_its_ticket() {
        let reconcile: fn() -> KeyStep = || KeyStep::Reconcile(FENCE);
        check_all(&ClaimOutcome::TakenOver(FENCE), false, [reconcile; 4]);
    }

    #[test]
    fn a_stored_answer_is_replayed_unless_the_ticket_is_used() {
        let stored = || StoredAnswer::succeeded(b"1".to_vec(), b"{}".to_vec());
        for replays in [false, true] {
            for repeat in [ConcurrentRepeat::Refuse, ConcurrentRepeat::Wait] {
                let replay = || KeyStep::Replay(stored());
                let used = || KeyStep::Refuse(KeyRefusal::TicketUsed);
                let steps = [replay(), replay(), used(), used()];
                check(&ClaimOutcome::Settled(stored()), replays, repeat, steps);
            }
        }
    }

    #[test]
    fn a_running_key_is_awaited_or_refused_by_the_tools_rule() {
        let running = ClaimOutcome::Running { until: UNTIL };
        let used = || KeyStep::Refuse(KeyRefusal::TicketUsed);
        for replays in [false, true] {
            let waits = [KeyStep::Wait, KeyStep::Wait, KeyStep::Wait, used()];
            check(&running, replays, ConcurrentRepeat::Wait, waits);
            let in_flight = || KeyStep::Refuse(KeyRefusal::InFlight(UNTIL));
            let refusals = [in_flight(), in_flight(), in_flight(), used()];
            check(&running, replays, ConcurrentRepeat::Refuse, refusals);
        }
    }

    #[test]
    fn a_key_that_no_call_may_use_refuses_each_call() {
        let refusals: [(ClaimOutcome, fn() -> KeyStep); 5] = [
            (ClaimOutcome::Mismatch, || KeyStep::Refuse(KeyRefusal::OtherArguments)),
            (ClaimOutcome::Unknown(FENCE), || KeyStep::Refuse(KeyRefusal::OutcomeUnknown)),
            (ClaimOutcome::Damaged(FENCE), || KeyStep::Refuse(KeyRefusal::RecordDamaged)),
            (ClaimOutcome::Archived, || KeyStep::Refuse(KeyRefusal::OutcomeArchived)),
            (ClaimOutcome::QuotaExceeded, || KeyStep::Refuse(KeyRefusal::QuotaExceeded)),
        ];
        for (outcome, step) in refusals {
            for replays in [false, true] {
                check_all(&outcome, replays, [step; 4]);
            }
        }
    }
}
