//! The ways in which a chain can be invalid.

use std::fmt;

/// The first record of a chain that is not as it was written, and its kind of fault.
///
/// The text is for an operator: the finding, and what to do. It quotes only numbers of the store.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainFaultKind, ChainHead, Verifier};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = ChainHead::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
///
/// let mut verifier = Verifier::new(keys);
/// for entry in [&entries[0], &entries[2], &entries[3]] {
///     verifier.push(entry)?; // record 1 may still come
/// }
/// let fault = verifier.finish().unwrap_err();
/// assert_eq!((fault.seq(), fault.kind()), (1, ChainFaultKind::Removed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    kind: ChainFaultKind,
    seq: u64,
    /// A second number: of the record found there, or of entries that are known.
    other: Option<u64>,
}

/// The kind of fault of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChainFaultKind {
    /// A part of the record was changed, or it was replaced by another record.
    Altered,
    /// The record is missing; or its body is missing, and no entry records that it was erased.
    Removed,
    /// The record stands at another position, or another record was moved before it.
    Reordered,
    /// A copy of another record, or a record with an earlier number, was put before it.
    Repeated,
    /// A record that was never written was put before it.
    Inserted,
    /// The chain ends before the record, and a checkpoint shows that the record existed.
    Truncated,
    /// The chain is valid, but not the one that the expected checkpoint signed: it was written
    /// anew with the same key, or continued from an old copy. The record is the first that no
    /// expected checkpoint proves.
    Diverged,
    /// The record was linked with a key that is not among the given keys.
    ForeignKey,
    /// A checkpoint is not as it was signed. The record is the one that holds it; for an expected
    /// checkpoint, the first that it does not cover.
    BadCheckpoint,
}

impl ChainFault {
    pub(super) const fn new(kind: ChainFaultKind, seq: u64, other: Option<u64>) -> Self {
        Self { kind, seq, other }
    }

    /// Returns the kind of fault.
    #[must_use]
    pub const fn kind(&self) -> ChainFaultKind {
        self.kind
    }

    /// Returns the number of the first record that is not as it was written: the expected one
    /// where the chain breaks.
    ///
    /// All records before it are as they were written, but bodies among them may be missing
    /// without a record of their erasure.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
}

impl fmt::Display for ChainFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding(f)?;
        f.write_str(self.kind.cure())
    }
}

impl std::error::Error for ChainFault {}

impl ChainFault {
    fn finding(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq;
        match (self.kind, self.other) {
            (ChainFaultKind::Altered, _) => {
                write!(f, "record {seq} was modified: its hash does not match")
            }
            (ChainFaultKind::Removed, None) => write!(
                f,
                "the body of record {seq} is missing, and no later record says that it was erased"
            ),
            (ChainFaultKind::Removed, Some(other)) => {
                write!(f, "record {seq} is missing; record {other} stands in its place")
            }
            (ChainFaultKind::Reordered, other) => {
                write!(f, "record {seq} is not at its position; {} stands there", Number(other))
            }
            (ChainFaultKind::Repeated, other) => {
                write!(f, "{} is repeated before record {seq}", Number(other))
            }
            (ChainFaultKind::Inserted, _) => {
                write!(f, "a record that was never written stands before record {seq}")
            }
            (ChainFaultKind::Truncated, other) => write!(
                f,
                "the end was cut off: record {seq} is missing, but a checkpoint was signed after \
                 {}",
                Number(other)
            ),
            (ChainFaultKind::Diverged, other) => write!(
                f,
                "this is not the chain of the checkpoint after {}: it differs from record {seq} \
                 or a later one on",
                Number(other)
            ),
            (ChainFaultKind::ForeignKey, _) => {
                write!(f, "record {seq} was linked with a key that is not in the key ring")
            }
            (ChainFaultKind::BadCheckpoint, _) => {
                write!(f, "the checkpoint at record {seq} is not as it was signed")
            }
        }
    }
}

impl ChainFaultKind {
    const fn cure(self) -> &'static str {
        match self {
            Self::Altered | Self::Removed | Self::Reordered => {
                "; keep the store as it is, and compare it with an earlier copy"
            }
            Self::Repeated | Self::Inserted => {
                "; keep the store as it is, and find out what else writes to it"
            }
            Self::Truncated => "; keep the store as it is, and look for the end in a copy",
            Self::Diverged => {
                "; keep the store as it is, and find out if an old copy was put in its place, or \
                 another process has the key"
            }
            Self::ForeignKey => "; add the key as a former key, and verify again",
            Self::BadCheckpoint => {
                "; take it from where it was first exported to, and check that its key is in the \
                 key ring"
            }
        }
    }
}

/// Formats the number of a record, if one is known.
struct Number(Option<u64>);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(seq) => write!(f, "record {seq}"),
            None => f.write_str("another record"),
        }
    }
}
