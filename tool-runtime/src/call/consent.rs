//! What people decided about a call, and what their decision is bound to.

use uuid::Uuid;

/// What people decided about a call.
#[derive(Debug, Default)]
pub(crate) struct Consent {
    /// Who allowed it.
    pub(crate) approver: Option<String>,
    /// When they did, in milliseconds since the epoch, where somebody keeps a record of it.
    pub(crate) approved_at_ms: Option<u64>,
    /// The ticket that it came back by, to be used up before it runs.
    pub(crate) ticket: Option<HeldTicket>,
    /// The hash of the dry run's answer that was shown, where the decision is bound to it.
    pub(crate) preview: Option<[u8; 32]>,
    /// Whether nobody was asked because the call was answered before: then it may not run.
    pub(crate) replays: bool,
    /// How the call was withdrawn, where its ticket has still to hear of it.
    pub(crate) withdrawn: Option<Withdrawn>,
}

/// The ticket that a call came back by.
#[derive(Debug, Clone)]
pub(crate) struct HeldTicket {
    pub(crate) id: Uuid,
    /// Its JSON text.
    pub(crate) json: Box<str>,
    /// When its time is over, in milliseconds since the epoch.
    pub(crate) expires_at_ms: u64,
    /// Whether it was used up by a run that never ended: only that run's key may let it run again.
    pub(crate) is_used: bool,
}

/// Who withdrew a call before it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawn {
    Declined,
    Overtaken,
    Expired,
}
