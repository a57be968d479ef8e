//! What people decided about a call, and what their decision is bound to.

use uuid::Uuid;

/// What people decided about a call.
#[derive(Debug, Default)]
pub(crate) struct Consent {
    /// Who allowed it.
    pub(crate) approver: Option<String>,
    /// The ticket that it came back by, to be used up before it runs.
    pub(crate) ticket: Option<Uuid>,
    /// The hash of the preview that was shown, where the decision is bound to it.
    pub(crate) preview: Option<[u8; 32]>,
}
