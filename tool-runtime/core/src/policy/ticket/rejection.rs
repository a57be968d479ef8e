//! The reasons why a ticket is not accepted.

use thiserror::Error;
use tool_contracts::{CallStatus, ErrorCode};

use crate::dispatch::refusal::Refusal;
use crate::failure::{Failure, FailureCode, ToolFailure};
use crate::refusal_reason::RefusalReason;
use crate::store::TicketEnd;

/// The reason why a ticket is not accepted.
///
/// The text is public: a model may read it, and it contains no value of the ticket. As a
/// [`Failure`] it has the code of [`code`](Self::code), and [`reason`](Self::reason) in
/// `details.reason`.
///
/// ```
/// use tool_runtime::contracts::ErrorCode;
/// use tool_runtime::policy::{Ticket, TicketRejection};
///
/// let rejection = Ticket::parse("yes, do it").unwrap_err();
/// assert_eq!(rejection, TicketRejection::Malformed);
/// assert_eq!((rejection.code(), rejection.reason().as_str()), (ErrorCode::InvalidArgument, "ticket_malformed"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum TicketRejection {
    /// It is not the JSON of a ticket. `INVALID_ARGUMENT`
    #[error("invalid ticket: expected its JSON exactly as it was issued")]
    Malformed,
    /// No ticket can be issued: a field of it would be too long. `INVALID_ARGUMENT`
    #[error(
        "no ticket can be issued: an id of the call, or its tool's name or version, is too long"
    )]
    Oversized,
    /// Its signature does not match its content. `FORBIDDEN`
    #[error("the ticket was altered after it was issued; make the call again")]
    Tampered,
    /// The key that signed it is not on the ring. `FORBIDDEN`
    #[error("the ticket was signed with a key that is not in use; make the call again")]
    UnknownKey,
    /// It was not decided in time. `CANCELLED`
    #[error("the ticket has expired; make the call again")]
    Expired,
    /// It was used. `FORBIDDEN`
    #[error("the ticket was used before; it is valid for one call, once")]
    Used,
    /// A person declined the call. `DECLINED`
    #[error("a person declined this call")]
    Declined,
    /// A newer message of the user replaced the call. `CANCELLED`
    #[error("a newer message of the user has replaced this call")]
    Superseded,
    /// It was issued to another tenant or principal. `FORBIDDEN`
    #[error("the ticket was issued to another tenant or user")]
    Foreign,
    /// Its tool was removed, or has another version or schema. `FORBIDDEN`
    #[error("the tool has changed since the ticket was issued; make the call again")]
    Outdated,
    /// Its call is not in the store: it was swept, or never stored. `NOT_FOUND`
    #[error("the call of this ticket was not found; make the call again")]
    Unknown,
    /// The stored call is not the one that was signed. `FORBIDDEN`
    #[error("the stored call is not the one that the ticket was issued for; make the call again")]
    ArgumentsChanged,
    /// The stored call cannot be decrypted: it was damaged, changed or moved. `INTERNAL`
    #[error("the stored call of the ticket cannot be read; make the call again")]
    Unreadable,
}

/// The classes of rejected tickets that a decision's answer tells apart.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the crates of the library match all classes")]
pub enum RejectionClass {
    /// No decision about the call can come any more.
    Gone,
    /// The ticket contradicts an earlier decision, or the present call and tool.
    Conflict,
    /// The error code alone decides.
    Other,
}

impl TicketRejection {
    /// Returns the class of the rejection.
    #[doc(hidden)]
    #[must_use]
    pub const fn class(self) -> RejectionClass {
        match self {
            Self::Expired | Self::Superseded => RejectionClass::Gone,
            Self::Used
            | Self::Declined
            | Self::Outdated
            | Self::UnknownKey
            | Self::Tampered
            | Self::ArgumentsChanged => RejectionClass::Conflict,
            Self::Malformed
            | Self::Oversized
            | Self::Foreign
            | Self::Unknown
            | Self::Unreadable => RejectionClass::Other,
        }
    }

    /// Returns whether the ticket is not the one that was issued to its caller, or cannot be read.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_forged(self) -> bool {
        match self {
            Self::Malformed
            | Self::Oversized
            | Self::UnknownKey
            | Self::Tampered
            | Self::Foreign
            | Self::Unknown
            | Self::Unreadable => true,
            Self::Expired
            | Self::Used
            | Self::Declined
            | Self::Superseded
            | Self::Outdated
            | Self::ArgumentsChanged => false,
        }
    }

    /// Returns the value of `details.reason`.
    #[must_use]
    pub const fn reason(self) -> RefusalReason {
        match self {
            Self::Malformed => RefusalReason::TicketMalformed,
            Self::Oversized => RefusalReason::TicketOversized,
            Self::Tampered => RefusalReason::TicketTampered,
            Self::UnknownKey => RefusalReason::TicketUnknownKey,
            Self::Expired => RefusalReason::TicketExpired,
            Self::Used => RefusalReason::TicketUsed,
            Self::Declined => RefusalReason::TicketDeclined,
            Self::Superseded => RefusalReason::TicketSuperseded,
            Self::Foreign => RefusalReason::TicketForeign,
            Self::Outdated => RefusalReason::TicketOutdated,
            Self::Unknown => RefusalReason::TicketUnknown,
            Self::ArgumentsChanged => RefusalReason::TicketArgumentsChanged,
            Self::Unreadable => RefusalReason::TicketUnreadable,
        }
    }

    /// Returns the code of the call's error.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Malformed | Self::Oversized => ErrorCode::InvalidArgument,
            Self::Tampered
            | Self::UnknownKey
            | Self::Used
            | Self::Foreign
            | Self::Outdated
            | Self::ArgumentsChanged => ErrorCode::Forbidden,
            Self::Expired | Self::Superseded => ErrorCode::Cancelled,
            Self::Declined => ErrorCode::Declined,
            Self::Unknown => ErrorCode::NotFound,
            Self::Unreadable => ErrorCode::Internal,
        }
    }
}

impl From<TicketRejection> for Box<Refusal> {
    fn from(rejection: TicketRejection) -> Self {
        Refusal::new(CallStatus::Rejected, Failure::from(rejection))
    }
}

impl ToolFailure for TicketRejection {
    fn failure(&self) -> Failure {
        Failure::from_code(self.code()).with_message(self.to_string()).with_reason(self.reason())
    }

    fn codes() -> &'static [FailureCode] {
        const {
            &[
                FailureCode::standard(ErrorCode::InvalidArgument),
                FailureCode::standard(ErrorCode::Forbidden),
                FailureCode::standard(ErrorCode::Cancelled),
                FailureCode::standard(ErrorCode::Declined),
                FailureCode::standard(ErrorCode::NotFound),
                FailureCode::standard(ErrorCode::Internal),
            ]
        }
    }
}

/// Converts the end of a ticket to the reason why it is not accepted.
impl From<TicketEnd> for TicketRejection {
    fn from(end: TicketEnd) -> Self {
        match end {
            TicketEnd::Used => Self::Used,
            TicketEnd::Declined => Self::Declined,
            TicketEnd::Superseded => Self::Superseded,
            TicketEnd::Expired => Self::Expired,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REJECTIONS: [(TicketRejection, &str, &str); 13] = [
        (TicketRejection::Malformed, "ticket_malformed", "INVALID_ARGUMENT"),
        (TicketRejection::Oversized, "ticket_oversized", "INVALID_ARGUMENT"),
        (TicketRejection::Tampered, "ticket_tampered", "FORBIDDEN"),
        (TicketRejection::UnknownKey, "ticket_unknown_key", "FORBIDDEN"),
        (TicketRejection::Expired, "ticket_expired", "CANCELLED"),
        (TicketRejection::Used, "ticket_used", "FORBIDDEN"),
        (TicketRejection::Declined, "ticket_declined", "DECLINED"),
        (TicketRejection::Superseded, "ticket_superseded", "CANCELLED"),
        (TicketRejection::Foreign, "ticket_foreign", "FORBIDDEN"),
        (TicketRejection::Outdated, "ticket_outdated", "FORBIDDEN"),
        (TicketRejection::Unknown, "ticket_unknown", "NOT_FOUND"),
        (TicketRejection::ArgumentsChanged, "ticket_arguments_changed", "FORBIDDEN"),
        (TicketRejection::Unreadable, "ticket_unreadable", "INTERNAL"),
    ];

    #[test]
    fn each_rejection_is_a_failure_with_its_code_reason_and_text() {
        for (rejection, reason, code) in REJECTIONS {
            let detail = Failure::from(rejection).into_detail(None);
            assert_eq!(detail.code(), Some(code), "{rejection:?}");
            let details = detail.details().expect("details");
            assert_eq!(details["reason"], reason);
            assert_eq!(detail.message(), rejection.to_string());
            let codes: Vec<_> = TicketRejection::codes().iter().map(FailureCode::as_str).collect();
            assert!(codes.contains(&code), "{code} is not declared");
        }
    }

    #[test]
    fn a_ticket_that_ended_says_how() {
        let ends =
            [TicketEnd::Used, TicketEnd::Declined, TicketEnd::Superseded, TicketEnd::Expired];
        let reasons = ends.map(|end| TicketRejection::from(end).reason().as_str());
        let expected = ["ticket_used", "ticket_declined", "ticket_superseded", "ticket_expired"];
        assert_eq!(reasons, expected);
    }
}
