//! Why evidence could not be kept, read or destroyed.

use std::error::Error;
use std::fmt;

use crate::store::{StoreError, StoreErrorKind};

/// Says why the vault did not do what it was asked.
///
/// The text is for people and logs. It holds no value of a snapshot, and no id. Where a store or
/// the access log failed, its own error is the [source](Error::source).
#[derive(Debug, Clone)]
pub struct EvidenceError {
    kind: EvidenceErrorKind,
    source: Option<StoreError>,
}

/// What went wrong with evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceErrorKind {
    /// The tenant has no such snapshot.
    NotFound,
    /// The tenant's keys were destroyed: nobody can open it any more.
    Shredded,
    /// What is stored is not what was sealed: changed, cut, moved or exchanged.
    Altered,
    /// It is wrapped by a key that is not on this process's key ring.
    UnknownKey,
    /// No reader, or no reason, is named, or one is too long.
    InvalidAccess,
    /// The summary of the input is not JSON, or the snapshot cannot be written.
    InvalidSnapshot,
    /// The access log did not take the record, or there is none.
    Unrecorded,
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

    /// The access log did not take a record.
    pub(super) fn unrecorded(source: Option<StoreError>) -> Self {
        Self { kind: EvidenceErrorKind::Unrecorded, source }
    }
}

impl From<EvidenceErrorKind> for EvidenceError {
    fn from(kind: EvidenceErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<StoreError> for EvidenceError {
    fn from(error: StoreError) -> Self {
        Self { kind: EvidenceErrorKind::Store(error.kind()), source: Some(error) }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)
    }
}

impl Error for EvidenceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

impl fmt::Display for EvidenceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "the tenant has no such snapshot: it never was, or was swept",
            Self::Shredded => "the tenant's keys were destroyed: nobody can open this any more",
            Self::Altered => "what is stored is not what was sealed",
            Self::UnknownKey => {
                "it is wrapped by a key that is not on the ring: add its secret as a former one"
            }
            Self::InvalidAccess => {
                "expected who reads, in 1 to 256 bytes, and why, in 1 to 1024, not space alone"
            }
            Self::InvalidSnapshot => "the summary of a snapshot's input is not a JSON text",
            Self::Unrecorded => "the access log did not take the record: nothing is shown without",
            Self::Contended => "the tenant's keys changed again and again meanwhile: try again",
            Self::NoRandomness => "the operating system gives no random bytes",
            Self::TooLarge => "it is longer than AES-GCM can encrypt",
            Self::Store(kind) => return write!(f, "the evidence store failed: {kind}"),
        })
    }
}
