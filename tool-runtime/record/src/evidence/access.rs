//! Accesses to evidence: the reader, the reason, and the log that records them.

use std::fmt;

use async_trait::async_trait;
use tool_contracts::has_bidirectional_controls;
use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use super::{EvidenceError, EvidenceErrorKind, SnapshotId};

const MAX_READER_LENGTH: usize = 256;
const MAX_REASON_LENGTH: usize = 1024;

/// The reader of evidence and the reason, which every access to a [`Vault`](super::Vault) states.
///
/// The reader and the reason are recorded. The user, the scopes and the tenant are optional facts
/// for the host's [`EvidenceAuthorizer`](super::EvidenceAuthorizer).
///
/// # Examples
/// ```
/// use tool_runtime::evidence::{Access, EvidenceErrorKind};
///
/// let access = Access::new("user:auditor-7", "complaint 4711")?.with_scopes(["auditor"]);
/// assert_eq!((access.reader(), access.reason()), ("user:auditor-7", "complaint 4711"));
/// assert!(access.has_scope("auditor"));
///
/// let error = Access::new("user:auditor-7", "  ").unwrap_err();
/// assert_eq!(error.kind(), EvidenceErrorKind::InvalidAccess);
/// # Ok::<(), tool_runtime::evidence::EvidenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    reader: Box<str>,
    reason: Box<str>,
    principal: Option<Box<str>>,
    user: Option<Box<str>>,
    tenant: Option<Uuid>,
    scopes: Vec<Box<str>>,
}

/// Records each access to a vault, such as a [`Ledger`](crate::ledger::Ledger).
///
/// If a record is not taken, the access fails: the vault shows and changes nothing. An
/// implementation should therefore return once the record is durable.
///
/// # Examples
/// ```
/// use tool_runtime::evidence::{AccessLog, AccessRecord, async_trait};
/// use tool_runtime::store::StoreError;
///
/// struct Printed;
///
/// #[async_trait]
/// impl AccessLog for Printed {
///     async fn record(&self, record: &AccessRecord) -> Result<(), StoreError> {
///         println!("{record:?}");
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait AccessLog: Send + Sync + 'static {
    /// Takes a record.
    ///
    /// # Errors
    /// The record is not kept: the access fails.
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError>;
}

/// One access to a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessRecord {
    /// The operation.
    pub action: AccessAction,
    /// The tenant; `None` if the operation covers all tenants.
    pub tenant: Option<Uuid>,
    /// The snapshot; of a list, the first one that is shown.
    pub snapshot: Option<SnapshotId>,
    /// The last snapshot that a list shows, if it shows more than one.
    pub last_snapshot: Option<SnapshotId>,
    /// The reader and the reason.
    pub access: Access,
    /// The time.
    pub at: UnixMillis,
    /// The result.
    pub outcome: AccessOutcome,
}

/// An operation on a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessAction {
    /// Find a snapshot; nothing that is sealed is opened.
    Find,
    /// List snapshots; nothing that is sealed is opened.
    List,
    /// Open the sealed contents of a snapshot and show them.
    Read,
    /// Open the sealed contents of a snapshot to run its call again; a replay does not show them.
    Replay,
    /// Destroy a tenant's keys.
    Shred,
    /// Give a tenant a new key, or bring its snapshots under the newest one.
    Rotate,
    /// Bring the tenants' keys under the ring's current key.
    Rewrap,
}

/// The result of an access.
///
/// An access that shows something is recorded once: after it has succeeded or failed, and before
/// anything is shown. An access that changes keys is recorded twice: before anything is changed,
/// and when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessOutcome {
    /// It is about to be done.
    Asked,
    /// It is done.
    Done,
    /// The snapshot is shown without its sealed contents, as the authorizer decided.
    Redacted,
    /// The authorizer denied it, or denied each snapshot of a list, and nothing is shown.
    Denied,
    /// It failed; an operation that changes keys may have done a part.
    Failed(EvidenceErrorKind),
}

impl Access {
    /// Names the reader and the reason.
    ///
    /// # Errors
    /// `InvalidAccess` when one is empty or only space, is longer than 256 and 1024 bytes, or has
    /// characters that change the direction of text.
    pub fn new(
        reader: impl Into<Box<str>>,
        reason: impl Into<Box<str>>,
    ) -> Result<Self, EvidenceError> {
        let (reader, reason) = (reader.into(), reason.into());
        let says = |text: &str, longest| {
            let fits = !text.trim().is_empty() && text.len() <= longest;
            fits && !has_bidirectional_controls(text)
        };
        if says(&reader, MAX_READER_LENGTH) && says(&reason, MAX_REASON_LENGTH) {
            let (principal, user, tenant, scopes) = (None, None, None, Vec::new());
            return Ok(Self { reader, reason, principal, user, tenant, scopes });
        }
        Err(EvidenceErrorKind::InvalidAccess.into())
    }

    /// Sets the id of the reader's credential, such as `key:console`. Default:
    /// [`reader`](Self::reader).
    #[must_use]
    pub fn with_principal(mut self, principal: impl Into<Box<str>>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// Sets the user for whom the reader asks.
    #[must_use]
    pub fn with_user(mut self, user: impl Into<Box<str>>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// Binds the access to one tenant: evidence of any other tenant is denied without a call of
    /// the authorizer.
    #[must_use]
    pub const fn with_tenant(mut self, tenant: Uuid) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// Sets the reader's scopes or roles, in the host's own words.
    #[must_use]
    pub fn with_scopes<S: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the reader, as it is recorded.
    #[must_use]
    pub fn reader(&self) -> &str {
        &self.reader
    }

    /// Returns the reason, as it is recorded.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the id of the reader's credential.
    #[must_use]
    pub fn principal(&self) -> &str {
        self.principal.as_deref().unwrap_or(&self.reader)
    }

    /// Returns the user for whom the reader asks.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Returns the tenant to which the access is bound.
    #[must_use]
    pub const fn tenant(&self) -> Option<Uuid> {
        self.tenant
    }

    /// Returns the reader's scopes or roles.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(|scope| &**scope)
    }

    /// Returns whether the reader has this scope or role.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().any(|it| it == scope)
    }
}

impl AccessAction {
    /// Returns the action's name in a log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::List => "list",
            Self::Read => "read",
            Self::Replay => "replay",
            Self::Shred => "shred",
            Self::Rotate => "rotate",
            Self::Rewrap => "rewrap",
        }
    }
}

impl fmt::Display for AccessAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AccessOutcome {
    /// Returns the outcome of an operation that has ended.
    pub(super) fn from_result<T>(result: &Result<T, EvidenceError>) -> Self {
        result.as_ref().map_or_else(|error| Self::Failed(error.kind()), |_| Self::Done)
    }
}
