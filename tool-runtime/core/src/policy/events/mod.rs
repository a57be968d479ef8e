//! Events for other systems: which receivers get them, what they say, and how senders deliver them.

mod announcer;
mod outbox;
mod payload;

use std::fmt;

use uuid::Uuid;

pub(super) use self::announcer::EventAnnouncer;
pub use self::outbox::{EventDelivery, Events, UndeliveredEvent};
pub(super) use self::payload::TicketDecision;
use crate::tool::BuildProblem;

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventType {
    /// A call waits for a decision.
    ApprovalRequested,
    /// A waiting call was approved or declined, or a newer message of the user replaced it.
    ApprovalDecided,
    /// A waiting call was not decided in time.
    ApprovalExpired,
    /// The outcome of a write became unknown: a person has to find it out.
    OutcomeUnknown,
    /// Most of a budget's limit is used.
    BudgetLow,
    /// The ledger has failed its verification.
    LedgerDamaged,
}

impl EventType {
    /// All types.
    pub const ALL: [Self; 6] = [
        Self::ApprovalRequested,
        Self::ApprovalDecided,
        Self::ApprovalExpired,
        Self::OutcomeUnknown,
        Self::BudgetLow,
        Self::LedgerDamaged,
    ];

    /// Returns the type's name in payloads: `approval.requested`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApprovalRequested => "approval.requested",
            Self::ApprovalDecided => "approval.decided",
            Self::ApprovalExpired => "approval.expired",
            Self::OutcomeUnknown => "outcome.unknown",
            Self::BudgetLow => "budget.low",
            Self::LedgerDamaged => "ledger.damaged",
        }
    }

    /// Finds a type by its name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event_type| event_type.as_str() == name)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A receiver of events, under a name that does not change: its undelivered events are stored under it.
///
/// [`Policy::event_receiver`](super::Policy::event_receiver) adds it. The feature `webhooks` sends the events of its
/// receivers; an own sender leases them from [`Runtime::events`](crate::Runtime::events).
///
/// # Examples
/// ```
/// use tool_runtime::policy::{EventReceiver, EventType, Policy};
///
/// let receiver = EventReceiver::new("queue").events([EventType::ApprovalRequested]);
/// let policy = Policy::new().event_receiver(receiver);
/// # let _ = policy;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct EventReceiver {
    name: Box<str>,
    events: Vec<EventType>,
    has_arguments: bool,
    console: Option<Box<str>>,
    tenant: Option<Uuid>,
}

impl EventReceiver {
    /// Creates a receiver of all events of all tenants, without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into().into(),
            events: EventType::ALL.into(),
            has_arguments: false,
            console: None,
            tenant: None,
        }
    }

    /// Limits the receiver to events of these types.
    pub fn events(mut self, events: impl IntoIterator<Item = EventType>) -> Self {
        self.events = events.into_iter().collect();
        self
    }

    /// Limits the receiver to events of one tenant. The ledger is that of all tenants: its damage is not among them.
    pub fn tenant(mut self, tenant: Uuid) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// Adds the arguments of a waiting call, as records have them: secrets and personal data are masked, and free text is
    /// searched for them.
    pub fn with_arguments(mut self) -> Self {
        self.has_arguments = true;
        self
    }

    /// Adds links into the console at this URL, such as `https://ops.example/console`: to a waiting call, to an unknown
    /// outcome, and to the verification of the ledger.
    pub fn with_console(mut self, url: impl Into<String>) -> Self {
        self.console = Some(url.into().trim_end_matches('/').into());
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn receives(&self, event_type: EventType, tenant: Uuid) -> bool {
        self.events.contains(&event_type) && self.tenant.is_none_or(|own| own == tenant)
    }
}

/// The longest name of a receiver, in bytes.
const MAX_NAME_LENGTH: usize = 64;

/// Finds what is wrong with the receivers.
pub(super) fn check(receivers: &[EventReceiver], has_outbox: bool) -> Vec<BuildProblem> {
    let mut problems = Vec::new();
    if !receivers.is_empty() && !has_outbox {
        problems.push(BuildProblem::EventsNotStored);
    }
    for (place, receiver) in receivers.iter().enumerate() {
        let name = &receiver.name;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let why = if name.is_empty() || name.len() > MAX_NAME_LENGTH || !name.chars().all(is_name) {
            "its name has 1 to 64 letters, digits, `-`, `_` and `.`"
        } else if receivers[..place].iter().any(|other| other.name == *name) {
            "another receiver has its name"
        } else if receiver.events.is_empty() {
            "it receives no type of events: name one, or leave `events` out"
        } else {
            continue;
        };
        problems.push(BuildProblem::InvalidReceiver { name: name.to_string(), why });
    }
    problems
}
