//! What may be wrong with a chain.

use std::fmt;

/// Says which record of a chain is the first that is not as it was written, and how it is wrong.
///
/// The text is for a person: what was found, and what to do. It quotes nothing of the store but
/// numbers.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, FaultKind, Head, Verifier};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = Head::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
///
/// let mut verifier = Verifier::new(keys);
/// for entry in [&entries[0], &entries[2], &entries[3]] {
///     verifier.push(entry)?; // record 1 may still come
/// }
/// let fault = verifier.finish().unwrap_err();
/// assert_eq!((fault.seq(), fault.kind()), (1, FaultKind::Removed));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    seq: u64,
    /// Another number that matters: of the record found there, or of entries that are known of.
    other: Option<u64>,
}

/// In which way a chain is not as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// A part of the record was changed, or another record was put in its place.
    Altered,
    /// The record is not there; or its body is not, and no entry says that it was forgotten.
    Removed,
    /// The record is there, at another place, or another record was moved before it.
    Reordered,
    /// A copy of another record, or one with the number of an earlier record, was put before it.
    Repeated,
    /// A record that was never written was put before it.
    Inserted,
    /// The chain ends before the record, and a checkpoint shows that it was there.
    Truncated,
    /// The chain is whole, and not the one of the checkpoint that was expected: it was written anew
    /// by somebody with the key, or continued from an old copy. The record is the first that no
    /// expected checkpoint proves.
    Diverged,
    /// The record was linked with a key that the keys given do not have.
    ForeignKey,
    /// A checkpoint is not as it was signed. The record is the one that holds it, or, if it was
    /// given from elsewhere, the first that it says nothing of.
    BadCheckpoint,
}

impl Fault {
    pub(super) const fn new(kind: FaultKind, seq: u64, other: Option<u64>) -> Self {
        Self { kind, seq, other }
    }

    /// Returns in which way it is wrong.
    #[must_use]
    pub const fn kind(&self) -> FaultKind {
        self.kind
    }

    /// Returns the number of the first record that is not as it was written: the one expected where
    /// the chain breaks.
    ///
    /// All records before it are as they were written, except that those without a body may not have
    /// been forgotten rightly.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding(f)?;
        f.write_str(self.kind.cure())
    }
}

impl std::error::Error for Fault {}

impl Fault {
    fn finding(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq;
        match (self.kind, self.other) {
            (FaultKind::Altered, _) => write!(f, "record {seq} is not as it was written"),
            (FaultKind::Removed, None) => write!(
                f,
                "the body of record {seq} is gone, and no later record says that it was forgotten"
            ),
            (FaultKind::Removed, Some(other)) => {
                write!(f, "record {seq} is missing: number {other} stands in its place")
            }
            (FaultKind::Reordered, other) => {
                write!(f, "record {seq} is not at its place: {} stands there", Number(other))
            }
            (FaultKind::Repeated, other) => {
                write!(f, "{} stands once more, before record {seq}", Number(other))
            }
            (FaultKind::Inserted, _) => {
                write!(f, "a record that was never written stands before record {seq}")
            }
            (FaultKind::Truncated, other) => write!(
                f,
                "the end was cut off: record {seq} is missing, and a checkpoint was signed behind \
                 {}",
                Number(other)
            ),
            (FaultKind::Diverged, other) => write!(
                f,
                "this is not the chain of the checkpoint behind {}: it differs from record {seq} \
                 on or later",
                Number(other)
            ),
            (FaultKind::ForeignKey, _) => {
                write!(f, "record {seq} was linked with a key that is not on the ring")
            }
            (FaultKind::BadCheckpoint, _) => {
                write!(f, "the checkpoint at record {seq} is not as it was signed")
            }
        }
    }
}

impl FaultKind {
    const fn cure(self) -> &'static str {
        match self {
            Self::Altered | Self::Removed | Self::Reordered => {
                "; keep the store as it is, and compare with a copy from before"
            }
            Self::Repeated | Self::Inserted => {
                "; keep the store as it is, and look for who else writes to it"
            }
            Self::Truncated => "; keep the store as it is, and look for the end in a copy of it",
            Self::Diverged => {
                "; keep the store as it is, and look for an old copy that was put in its place, or \
                 for who else has the key"
            }
            Self::ForeignKey => "; add the key as a former one, and verify again",
            Self::BadCheckpoint => {
                "; take it from where it was first exported to, and check that its key is on the \
                 ring"
            }
        }
    }
}

/// The number of a record, if one is known.
struct Number(Option<u64>);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(seq) => write!(f, "record {seq}"),
            None => f.write_str("another record"),
        }
    }
}
