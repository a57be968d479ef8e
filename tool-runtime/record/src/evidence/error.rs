//! Errors of keeping, reading and destroying evidence.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::SnapshotId;

/// An error of a vault.
///
/// The text is for people and logs, and holds no value of a snapshot. If one snapshot is at fault,
/// [`snapshot`](Self::snapshot) names it. If a store, the access log or the authorizer failed, its
/// own error is the [source](Error::source).
#[derive(Debug, Clone)]
pub struct EvidenceError {
    kind: EvidenceErrorKind,
    snapshot: Option<SnapshotId>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The kind of an [`EvidenceError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceErrorKind {
    /// The tenant has no such snapshot.
    NotFound,
    /// The tenant's keys were destroyed: the contents cannot be decrypted.
    Shredded,
    /// The stored snapshot was changed, cut, moved, exchanged or invented.
    Altered,
    /// The snapshot is intact, but is not the one that the ledger's record of the call names.
    NotAsRecorded,
    /// The ledger names the snapshot, and the store does not have it although it is within the
    /// retention.
    Missing,
    /// The tenant's id is the one under which the vault keeps the checksum key.
    ReservedTenant,
    /// The key is wrapped by a key that is not on this process's key ring.
    UnknownKey,
    /// The reader or the reason is empty or too long.
    InvalidAccess,
    /// The summary of the input is not JSON, or the snapshot cannot be serialized.
    InvalidSnapshot,
    /// The access log did not take the record, or there is none.
    Unrecorded,
    /// The authorizer returned an error or panicked.
    AuthorizerFailed,
    /// The tenant's keys changed at each attempt; a later try may succeed.
    Contended,
    /// The operating system gives no random bytes.
    NoRandomness,
    /// The contents are longer than AES-GCM can encrypt.
    TooLarge,
    /// The store failed.
    Store(StoreErrorKind),
}

/// The classes of errors that a reader of evidence tells apart.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceFault {
    /// The tenant has no such snapshot.
    NotFound,
    /// The contents can no longer be decrypted.
    Shredded,
    /// The stored evidence is not what was written.
    Altered,
    /// The store lost what the ledger names.
    Missing,
    /// The process lacks a key.
    UnknownKey,
    /// A later try may succeed.
    Unavailable,
    /// The access or the snapshot is not valid.
    Internal,
}

impl EvidenceErrorKind {
    /// Returns what the kind means for the reader.
    #[doc(hidden)]
    #[must_use]
    pub const fn fault(self) -> EvidenceFault {
        match self {
            Self::NotFound => EvidenceFault::NotFound,
            Self::Shredded => EvidenceFault::Shredded,
            Self::Altered | Self::NotAsRecorded => EvidenceFault::Altered,
            Self::Missing => EvidenceFault::Missing,
            Self::UnknownKey => EvidenceFault::UnknownKey,
            Self::Unrecorded | Self::AuthorizerFailed | Self::Contended | Self::Store(_) => {
                EvidenceFault::Unavailable
            }
            Self::ReservedTenant
            | Self::InvalidAccess
            | Self::InvalidSnapshot
            | Self::NoRandomness
            | Self::TooLarge => EvidenceFault::Internal,
        }
    }
}

impl EvidenceError {
    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> EvidenceErrorKind {
        self.kind
    }

    /// Returns the snapshot at fault, if it is one.
    #[must_use]
    pub const fn snapshot(&self) -> Option<SnapshotId> {
        self.snapshot
    }

    /// Makes the error of an access that could not be recorded.
    pub(super) fn unrecorded(source: Option<StoreError>) -> Self {
        let source = source.map(|source| Arc::new(source) as _);
        Self { kind: EvidenceErrorKind::Unrecorded, snapshot: None, source }
    }

    /// Makes the error of an access about which the authorizer could not decide.
    pub(super) fn authorizer_failed(source: Box<dyn Error + Send + Sync>) -> Self {
        let kind = EvidenceErrorKind::AuthorizerFailed;
        Self { kind, snapshot: None, source: Some(source.into()) }
    }

    /// Sets the snapshot at fault.
    pub(super) fn with_snapshot(mut self, id: SnapshotId) -> Self {
        self.snapshot = Some(id);
        self
    }
}

impl EvidenceErrorKind {
    /// Returns whether the kind concerns the snapshot, and not the store or the request.
    #[must_use]
    pub const fn concerns_snapshot(self) -> bool {
        match self {
            Self::NotFound
            | Self::Shredded
            | Self::Altered
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
            Self::NotFound => "the tenant has no snapshot with this id",
            Self::Shredded => "the contents cannot be decrypted: the tenant's keys were destroyed",
            Self::Altered => "the stored snapshot was altered",
            Self::NotAsRecorded => {
                "the snapshot is not the one that the ledger's record of the call names"
            }
            Self::Missing => "the ledger names the snapshot, but the store does not have it",
            Self::ReservedTenant => "this tenant id is reserved for the vault's own key",
            Self::UnknownKey => {
                "the key is wrapped by a key that is not on the ring: add its secret as a former one"
            }
            Self::InvalidAccess => {
                "expected a reader of 1 to 256 bytes and a reason of 1 to 1024, neither of them blank"
            }
            Self::InvalidSnapshot => "the summary of a snapshot's input is not a JSON text",
            Self::Unrecorded => "the access could not be recorded, so nothing is shown",
            Self::AuthorizerFailed => "the authorizer of the evidence failed: the access is denied",
            Self::Contended => "the tenant's keys changed at each attempt: try again",
            Self::NoRandomness => "the operating system provides no random bytes",
            Self::TooLarge => "the contents are longer than AES-GCM can encrypt",
            Self::Store(kind) => return write!(f, "the evidence store failed: {kind}"),
        })
    }
}
