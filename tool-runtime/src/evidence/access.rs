//! Who looks at evidence, and why; and who is told.

use std::fmt;

use async_trait::async_trait;
use uuid::Uuid;

use super::{EvidenceError, EvidenceErrorKind, SnapshotId};
use crate::store::{StoreError, UnixMillis};

const LONGEST_READER: usize = 256;
const LONGEST_REASON: usize = 1024;

/// Says who wants something of the vault, and why. There is no reading without.
///
/// # Examples
/// ```
/// use tool_runtime::evidence::{Access, EvidenceErrorKind};
///
/// let access = Access::new("user:auditor-7", "complaint 4711")?;
/// assert_eq!((access.who(), access.why()), ("user:auditor-7", "complaint 4711"));
///
/// let error = Access::new("user:auditor-7", "  ").unwrap_err();
/// assert_eq!(error.kind(), EvidenceErrorKind::InvalidAccess);
/// # Ok::<(), tool_runtime::evidence::EvidenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    who: Box<str>,
    why: Box<str>,
}

/// Is told of each access to the vault; a ledger is one.
///
/// The vault shows and changes nothing that this has not taken: where it fails, so does the access.
/// It should therefore answer once the record is as durable as it will be.
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
    /// Takes a record. An error lets the access fail.
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError>;
}

/// One access to the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessRecord {
    /// What was wanted.
    pub action: AccessAction,
    /// Whose evidence; none where it is all tenants'.
    pub tenant: Option<Uuid>,
    /// Which snapshot, where it is one.
    pub snapshot: Option<SnapshotId>,
    /// Who, and why.
    pub access: Access,
    /// When.
    pub at: UnixMillis,
    /// What came of it.
    pub outcome: AccessOutcome,
}

/// What was wanted of the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessAction {
    /// To open a snapshot.
    Read,
    /// To destroy a tenant's keys.
    Shred,
    /// To give a tenant a new key, or to bring its snapshots under the newest one.
    Rotate,
    /// To bring the tenants' keys under the ring's current key.
    Rewrap,
    /// To give checksums to snapshots of an earlier release.
    AddChecksums,
}

/// What came of an access.
///
/// A reading is told once, when it has succeeded or failed and before anything is shown. What changes
/// keys is told twice: that it was asked for, before anything is changed, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessOutcome {
    /// It is about to be done.
    Asked,
    /// It is done.
    Done,
    /// It failed; what changes keys may have done a part.
    Failed(EvidenceErrorKind),
}

impl Access {
    /// Names the reader and the reason.
    ///
    /// # Errors
    /// `InvalidAccess` when one is empty or only space, or longer than 256 and 1024 bytes.
    pub fn new(who: impl Into<Box<str>>, why: impl Into<Box<str>>) -> Result<Self, EvidenceError> {
        let (who, why) = (who.into(), why.into());
        let says = |text: &str, longest| !text.trim().is_empty() && text.len() <= longest;
        if says(&who, LONGEST_READER) && says(&why, LONGEST_REASON) {
            return Ok(Self { who, why });
        }
        Err(EvidenceErrorKind::InvalidAccess.into())
    }

    /// Names who wants it.
    #[must_use]
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Says why.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl AccessAction {
    /// Gives the word for a log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Shred => "shred",
            Self::Rotate => "rotate",
            Self::Rewrap => "rewrap",
            Self::AddChecksums => "add_checksums",
        }
    }
}

impl fmt::Display for AccessAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AccessOutcome {
    /// Tells how something ended.
    pub(super) fn of<T>(result: &Result<T, EvidenceError>) -> Self {
        result.as_ref().map_or_else(|error| Self::Failed(error.kind()), |_| Self::Done)
    }
}
