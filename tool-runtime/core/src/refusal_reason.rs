//! The closed set of reasons for which the runtime refuses a call: `details.reason`.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::words::word_enum;

word_enum! {
    /// The reason for which the runtime refused a call or a request: `details.reason`.
    ///
    /// The policies, the HTTP server, the adapters and the ledger have no other words; a release may
    /// add some. The guide describes each of them (`guide::safe_execution`, `guide::http_clients`).
    /// A tool's own errors may have a detail of this name with any text.
    ///
    /// ```
    /// use tool_runtime::RefusalReason;
    ///
    /// assert_eq!(RefusalReason::QueueFull.as_str(), "queue_full");
    /// assert_eq!(RefusalReason::parse("queue_full"), Some(RefusalReason::QueueFull));
    /// assert_eq!(RefusalReason::parse("full_moon"), None);
    /// ```
    #[non_exhaustive]
    pub enum RefusalReason {
        /// The actor type of the request is not one that the caller may use.
        ActorType = "actor_type",
        /// The answer given for an unknown outcome does not match the tool's output schema.
        AnswerNotValid = "answer_not_valid",
        /// The call was edited after another call under its idempotency key was answered.
        AnsweredBefore = "answered_before",
        /// The answers that the caller has not read yet take up its quota of memory.
        Answers = "answers",
        /// The request bodies in flight take up the server's limit or the caller's quota of memory.
        Bodies = "bodies",
        /// The tool's circuit breaker is open.
        BreakerOpen = "breaker_open",
        /// The call exceeds a budget, its budget is paused, or what it spends cannot be counted.
        BudgetExceeded = "budget_exceeded",
        /// All permits of the server, or of the caller's quota, are taken.
        Busy = "busy",
        /// The host cancelled the call before it ran.
        Cancelled = "cancelled",
        /// The model's response was cut off before it was complete.
        CutOff = "cut_off",
        /// The host's access policy denied the call.
        DeniedByPolicy = "denied_by_policy",
        /// The server is shutting down.
        Draining = "draining",
        /// The host dropped the pending call.
        Dropped = "dropped",
        /// The approver's edited arguments are not valid.
        EditNotValid = "edit_not_valid",
        /// Stored evidence does not match its checksum or the ledger.
        EvidenceAltered = "evidence_altered",
        /// The ledger names evidence that is not in its store.
        EvidenceMissing = "evidence_missing",
        /// The tool requires evidence, and it was lost.
        EvidenceNotKept = "evidence_not_kept",
        /// The keys of the evidence were destroyed.
        EvidenceShredded = "evidence_shredded",
        /// The tool requires evidence, and the vault is unavailable.
        EvidenceUnavailable = "evidence_unavailable",
        /// No decision about the call was made in time.
        Expired = "expired",
        /// The `Host` header is none of the server's names.
        Host = "host",
        /// The same call is still running.
        InFlight = "in_flight",
        /// The tool needs user input; the client must collect it, or does not support it.
        InputRequired = "input_required",
        /// The call has an idempotency key, and no store keeps it.
        KeyNotKept = "key_not_kept",
        /// The policy requires an idempotency key.
        KeyRequired = "key_required",
        /// The idempotency key belongs to a call with other arguments.
        KeyReused = "key_reused",
        /// The call lost its lease: another run has taken over its key.
        LeaseLost = "lease_lost",
        /// The ledger is closed, and a call with an effect would run without a record.
        LedgerClosed = "ledger_closed",
        /// The ledger's queue of records is full.
        LedgerFull = "ledger_full",
        /// A person has to sign a mandate for the call, and the call has none that covers it.
        Mandate = "mandate",
        /// The server has no vault, or one without an authorizer.
        NoEvidence = "no_evidence",
        /// The server has no ledger.
        NoLedger = "no_ledger",
        /// The call has an idempotency key, and neither a user nor an actor.
        NoPrincipal = "no_principal",
        /// The call needs approval, and no ticket could be issued for it.
        NoTicket = "no_ticket",
        /// The arguments have no canonical form.
        NotCanonical = "not_canonical",
        /// The `Origin` header is not allowed.
        Origin = "origin",
        /// The outcome of an earlier run stayed unknown until its record was archived.
        OutcomeArchived = "outcome_archived",
        /// The outcome is not unknown any more.
        OutcomeChanged = "outcome_changed",
        /// The outcome of an earlier run is unknown.
        OutcomeUnknown = "outcome_unknown",
        /// The approver is the caller of the call.
        OwnCall = "own_call",
        /// The host's access policy failed to decide.
        PolicyFailed = "policy_failed",
        /// The dry run's output has changed since the approval.
        PreviewChanged = "preview_changed",
        /// The queue for the tool's permits is full.
        QueueFull = "queue_full",
        /// The rate limit of the tool is used up.
        RateLimit = "rate_limit",
        /// The caller's quota of reads is used up.
        Reads = "reads",
        /// The record of an earlier run is damaged.
        RecordDamaged = "record_damaged",
        /// The caller of a waiting call may not call its tool any more.
        RequesterNotAllowed = "requester_not_allowed",
        /// The caller lacks a scope.
        Scope = "scope",
        /// The provider stopped the model's response.
        Stopped = "stopped",
        /// The store is full.
        StoreFull = "store_full",
        /// The store is unavailable.
        StoreUnavailable = "store_unavailable",
        /// The server's limit or the caller's quota of streams is used up.
        Streams = "streams",
        /// A newer message of the user superseded the call.
        Superseded = "superseded",
        /// The stored call is not the one that the ticket was issued for.
        TicketArgumentsChanged = "ticket_arguments_changed",
        /// A person declined the call.
        TicketDeclined = "ticket_declined",
        /// The ticket has expired.
        TicketExpired = "ticket_expired",
        /// The ticket was issued to another tenant or principal.
        TicketForeign = "ticket_foreign",
        /// The text is not a ticket.
        TicketMalformed = "ticket_malformed",
        /// The tool has changed since the ticket was issued.
        TicketOutdated = "ticket_outdated",
        /// A text of the call is too long for a ticket.
        TicketOversized = "ticket_oversized",
        /// A newer message of the user superseded the waiting call.
        TicketSuperseded = "ticket_superseded",
        /// The ticket's signature does not match.
        TicketTampered = "ticket_tampered",
        /// No stored call exists for the ticket.
        TicketUnknown = "ticket_unknown",
        /// The ticket's key is not on the key ring.
        TicketUnknownKey = "ticket_unknown_key",
        /// The stored call cannot be opened.
        TicketUnreadable = "ticket_unreadable",
        /// The ticket has been used.
        TicketUsed = "ticket_used",
        /// The keys that verify tokens could not be fetched.
        TokenKeys = "token_keys",
        /// The host has disabled the tool.
        ToolDisabled = "tool_disabled",
        /// The approver may not decide about this tool.
        ToolNotCovered = "tool_not_covered",
        /// The tenant has no evidence with this id.
        UnknownEvidence = "unknown_evidence",
        /// The server lacks the key of the evidence.
        UnknownKey = "unknown_key",
        /// The tenant has no unknown outcome with this id.
        UnknownOutcome = "unknown_outcome",
        /// The caller's quota of unknown outcomes is used up.
        UnknownOutcomesFull = "unknown_outcomes_full",
        /// The tool of an unknown outcome does not exist any more.
        UnknownTool = "unknown_tool",
        /// The tenant has no call with this trace.
        UnknownTrace = "unknown_trace",
        /// The user of the request is not one that the caller may name.
        User = "user",
        /// The caller's quota of waiting tickets is used up.
        WaitingTicketsFull = "waiting_tickets_full",
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RefusalReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::RefusalReason;

    #[test]
    fn words_are_unique_and_in_order() {
        let words: Vec<_> = RefusalReason::ALL.iter().map(|reason| reason.as_str()).collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]), "{words:?}");
    }
}
