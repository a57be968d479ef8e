//! Why evidence could not be kept, read or destroyed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::SnapshotId;
use crate::store::{StoreError, StoreErrorKind};

/// Says why the vault did not do what it was asked.
///
/// The text is for people and logs. It holds no value of a snapshot. Where one snapshot is at fault,
/// [`snapshot`](Self::snapshot) names it. Where a store, the access log or the authorizer failed,
/// its own error is the [source](Error::source).
#[derive(Debug, Clone)]
pub struct EvidenceError {
    kind: EvidenceErrorKind,
    snapshot: Option<SnapshotId>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// What went wrong with evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceErrorKind {
    /// The tenant has no such snapshot.
    NotFound,
    /// The tenant's keys were destroyed: nobody can open it any more.
    Shredded,
    /// What is stored is not what was kept: changed, cut, moved, exchanged or invented.
    Altered,
    /// It has no checksum: an earlier release kept it, or its checksum was removed.
    Unchecked,
    /// It is intact, but not the snapshot that the ledger's record of the call names.
    NotAsRecorded,
    /// The ledger names it, it is not old enough to have been swept, and the store does not have it.
    Missing,
    /// The tenant's id is the one under which the vault keeps its own key.
    ReservedTenant,
    /// It is wrapped by a key that is not on this process's key ring.
    UnknownKey,
    /// No reader, or no reason, is named, or one is too long.
    InvalidAccess,
    /// The summary of the input is not JSON, or the snapshot cannot be written.
    InvalidSnapshot,
    /// The access log did not take the record, or there is none.
    Unrecorded,
    /// The authorizer returned an error or panicked.
    AuthorizerFailed,
    /// The tenant's keys changed again and again meanwhile; it may be tried again.
    Contended,
    /// The operating system gives no random bytes.
    NoRandomness,
    /// It is longer than AES-GCM can encrypt.
    TooLarge,
    /// The store failed.
    Store(StoreErrorKind),
}

impl EvidenceError {
    /// Returns what went wrong.
    #[must_use]
    pub const fn kind(&self) -> EvidenceErrorKind {
        self.kind
    }

    /// Returns the snapshot that is at fault, where it is one.
    #[must_use]
    pub const fn snapshot(&self) -> Option<SnapshotId> {
        self.snapshot
    }

    /// The access log did not take a record.
    pub(super) fn unrecorded(source: Option<StoreError>) -> Self {
        let source = source.map(|source| Arc::new(source) as _);
        Self { kind: EvidenceErrorKind::Unrecorded, snapshot: None, source }
    }

    /// Makes the error of an access about which the authorizer could not decide.
    pub(super) fn authorizer_failed(source: Box<dyn Error + Send + Sync>) -> Self {
        let kind = EvidenceErrorKind::AuthorizerFailed;
        Self { kind, snapshot: None, source: Some(source.into()) }
    }

    /// Names the snapshot that is at fault.
    pub(super) fn of_snapshot(mut self, id: SnapshotId) -> Self {
        self.snapshot = Some(id);
        self
    }
}

impl EvidenceErrorKind {
    /// Returns whether it tells something of the snapshot, and not of the store or the request.
    pub(super) const fn concerns_snapshot(self) -> bool {
        match self {
            Self::NotFound
            | Self::Shredded
            | Self::Altered
            | Self::Unchecked
            | Self::NotAsRecorded
            | Self::Missing
            | Self::UnknownKey => true,
            Self::ReservedTenant
            | Self::InvalidAccess
            | Self::InvalidSnapshot
            | Self::Unrecorded
            | Self::AuthorizerFailed
            | Self::Contended
            | Self::NoRandomness
            | Self::TooLarge
            | Self::Store(_) => false,
        }
    }
}

impl From<EvidenceErrorKind> for EvidenceError {
    fn from(kind: EvidenceErrorKind) -> Self {
        Self { kind, snapshot: None, source: None }
    }
}

impl From<StoreError> for EvidenceError {
    fn from(error: StoreError) -> Self {
        let kind = EvidenceErrorKind::Store(error.kind());
        Self { kind, snapshot: None, source: Some(Arc::new(error)) }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.snapshot {
            write!(f, "{id}: ")?;
        }
        fmt::Display::fmt(&self.kind, f)
    }
}

impl Error for EvidenceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Display for EvidenceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "the tenant has no such snapshot: it never was, or was swept",
            Self::Shredded => "the tenant's keys were destroyed: the contents cannot be opened any more",
            Self::Altered => "what is stored is not what was kept",
            Self::Unchecked => {
                "the snapshot has no checksum: an earlier release kept it (`add_checksums`), or its \
                 checksum was removed"
            }
            Self::NotAsRecorded => {
                "the snapshot is not the one that the ledger's record of the call names"
            }
            Self::Missing => "the ledger names the snapshot, and the store does not have it",
            Self::ReservedTenant => "the vault keeps its own key under this tenant's id",
            Self::UnknownKey => {
                "it is wrapped by a key that is not on the ring: add its secret as a former one"
            }
            Self::InvalidAccess => {
                "expected who reads, in 1 to 256 bytes, and why, in 1 to 1024, not space alone"
            }
            Self::InvalidSnapshot => "the summary of a snapshot's input is not a JSON text",
            Self::Unrecorded => "the access log did not take the record: nothing is shown without",
            Self::AuthorizerFailed => "the authorizer of the evidence failed: the access is denied",
            Self::Contended => "the tenant's keys changed again and again meanwhile: try again",
            Self::NoRandomness => "the operating system gives no random bytes",
            Self::TooLarge => "it is longer than AES-GCM can encrypt",
            Self::Store(kind) => return write!(f, "the evidence store failed: {kind}"),
        })
    }
}
