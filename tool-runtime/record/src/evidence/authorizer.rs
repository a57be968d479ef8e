//! The host's decision about each access to evidence.

use std::error::Error;

use async_trait::async_trait;
use tool_runtime_core::tool::guarded;
use uuid::Uuid;

use super::vault::RecordDraft;
use super::{
    Access, AccessAction, AccessOutcome, EvidenceError, EvidenceErrorKind, Snapshot, SnapshotId,
    Vault,
};

/// Decides who may find, list, read and replay evidence: given to [`Vault::with_authorizer`].
///
/// A vault without an authorizer allows every access by the code that holds it, and HTTP does not
/// serve its evidence. With or without one, each access is recorded, and a tenant's evidence is
/// found under that tenant's id only.
///
/// A function or closure from a request to a verdict is an authorizer too.
///
/// # Examples
/// ```
/// use tool_runtime::evidence::{
///     AccessAction, EvidenceAuthorizer, EvidenceRequest, EvidenceVerdict, async_trait,
/// };
///
/// /// Auditors see all snapshots, and open the contents of prices.
/// struct Auditors;
///
/// #[async_trait]
/// impl EvidenceAuthorizer for Auditors {
///     async fn authorize(
///         &self,
///         request: &EvidenceRequest<'_>,
///     ) -> Result<EvidenceVerdict, Box<dyn std::error::Error + Send + Sync>> {
///         if !request.access().has_scope("auditor") {
///             return Ok(EvidenceVerdict::Deny);
///         }
///         let is_price = request.snapshot().is_some_and(|it| it.tool().starts_with("pricing."));
///         let opens = matches!(request.action(), AccessAction::Read | AccessAction::Replay);
///         let may_open = opens && is_price;
///         Ok(if may_open { EvidenceVerdict::Allow } else { EvidenceVerdict::AllowRedacted })
///     }
/// }
/// ```
#[async_trait]
pub trait EvidenceAuthorizer: Send + Sync + 'static {
    /// Decides one access to one snapshot.
    ///
    /// The vault calls this once for each `find`, `read` and replayed call, and for each snapshot
    /// that a `list` would show. It is called for an id that the store does not have, too, so that
    /// a denied id looks like one that does not exist.
    ///
    /// # Errors
    /// An error denies the access, which fails as
    /// [`AuthorizerFailed`](EvidenceErrorKind::AuthorizerFailed). A panic does the same.
    async fn authorize(
        &self,
        request: &EvidenceRequest<'_>,
    ) -> Result<EvidenceVerdict, Box<dyn Error + Send + Sync>>;
}

/// One access to one snapshot, as an [`EvidenceAuthorizer`] decides about it.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceRequest<'a> {
    action: AccessAction,
    tenant: Uuid,
    id: SnapshotId,
    snapshot: Option<&'a Snapshot>,
    access: &'a Access,
}

/// The decision of an [`EvidenceAuthorizer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceVerdict {
    /// The access is denied. The reader gets the same answer as for an id that does not exist; a
    /// list leaves the snapshot out.
    Deny,
    /// The snapshot is shown as it was recorded, with its redacted summary of the input. What is
    /// sealed is not opened.
    AllowRedacted,
    /// The snapshot is shown; [`Vault::read`] and a replay open what is sealed.
    Allow,
}

impl<'a> EvidenceRequest<'a> {
    /// Returns the operation: `Find`, `List`, `Read` or `Replay`.
    #[must_use]
    pub const fn action(&self) -> AccessAction {
        self.action
    }

    /// Returns the tenant that owns the evidence.
    #[must_use]
    pub const fn tenant(&self) -> Uuid {
        self.tenant
    }

    /// Returns the snapshot's id.
    #[must_use]
    pub const fn id(&self) -> SnapshotId {
        self.id
    }

    /// Returns what the snapshot states, such as its tool and its trace.
    ///
    /// `None` if that is not known: the store does not have the snapshot, or it was altered. Where
    /// the verdict is `Deny`, the reader gets the answer of an id that does not exist; otherwise it
    /// gets the error that names the damage.
    #[must_use]
    pub const fn snapshot(&self) -> Option<&'a Snapshot> {
        self.snapshot
    }

    /// Returns the reader, its scopes and the reason.
    #[must_use]
    pub const fn access(&self) -> &'a Access {
        self.access
    }
}

#[async_trait]
impl<F> EvidenceAuthorizer for F
where
    F: Fn(&EvidenceRequest<'_>) -> EvidenceVerdict + Send + Sync + 'static,
{
    async fn authorize(
        &self,
        request: &EvidenceRequest<'_>,
    ) -> Result<EvidenceVerdict, Box<dyn Error + Send + Sync>> {
        Ok(self(request))
    }
}

/// An access that shows nothing: the outcome for the log, and the error for the reader.
pub(super) struct Rejection {
    pub(super) outcome: AccessOutcome,
    pub(super) error: EvidenceError,
}

/// The part of a snapshot that an access may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotView {
    /// The snapshot without its sealed contents.
    Redacted,
    /// The snapshot and its sealed contents.
    Full,
}

impl Vault {
    /// Decides whether an access may see a snapshot that was looked up, and how much of it.
    ///
    /// A failure that does not concern the snapshot, such as a store that does not answer, is
    /// returned as it is. Everything else depends on the verdict, so that to a denied reader a
    /// damaged snapshot looks like one that does not exist.
    pub(super) async fn authorized<T>(
        &self,
        draft: &RecordDraft<'_>,
        tenant: Uuid,
        id: SnapshotId,
        looked_up: Result<T, EvidenceError>,
        snapshot_of: impl Fn(&T) -> &Snapshot,
    ) -> Result<(T, SnapshotView), Rejection> {
        let looked_up = match looked_up {
            Err(error) if !error.kind().concerns_snapshot() => return Err(failed(error)),
            looked_up => looked_up,
        };
        let snapshot = looked_up.as_ref().ok().map(&snapshot_of);
        let view = match self.verdict(draft.action, tenant, id, snapshot, draft.access).await {
            Err(error) => return Err(failed(error)),
            Ok(EvidenceVerdict::Deny) => return Err(denied(looked_up.err().as_ref())),
            Ok(EvidenceVerdict::AllowRedacted) => SnapshotView::Redacted,
            Ok(EvidenceVerdict::Allow) => SnapshotView::Full,
        };
        looked_up.map(|it| (it, view)).map_err(failed)
    }

    /// Asks the authorizer, unless the access is bound to another tenant.
    async fn verdict(
        &self,
        action: AccessAction,
        tenant: Uuid,
        id: SnapshotId,
        snapshot: Option<&Snapshot>,
        access: &Access,
    ) -> Result<EvidenceVerdict, EvidenceError> {
        if access.tenant().is_some_and(|bound| bound != tenant) {
            return Ok(EvidenceVerdict::Deny);
        }
        let Some(authorizer) = &self.authorizer else { return Ok(EvidenceVerdict::Allow) };
        let request = EvidenceRequest { action, tenant, id, snapshot, access };
        let verdict = guarded(authorizer.authorize(&request)).await;
        verdict.unwrap_or_else(|panic| Err(panic.into())).map_err(EvidenceError::authorizer_failed)
    }
}

fn failed(error: EvidenceError) -> Rejection {
    Rejection { outcome: AccessOutcome::Failed(error.kind()), error }
}

/// Rejects an access as if the snapshot did not exist; the log records whether it does.
fn denied(cause: Option<&EvidenceError>) -> Rejection {
    let error = EvidenceError::from(EvidenceErrorKind::NotFound);
    let is_absent = cause.map(EvidenceError::kind) == Some(EvidenceErrorKind::NotFound);
    if is_absent { failed(error) } else { Rejection { outcome: AccessOutcome::Denied, error } }
}
