//! The rows of a whole store in types that every store has, so that one store can be copied to another.

use std::fmt;
use std::ops::Index;

use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::evidence::{StoredSnapshot, TenantKey};
use super::{
    BudgetControl, BudgetPeriod, Fence, KeyRecord, KeyState, ReservedAmount, StandingGrant,
    StoreError, StoredMessage, StoredOutput, UnixMillis, WaitingTicket,
};

/// All rows of a store as they are at one moment.
///
/// A store gives one, such as `SqliteOptions::export`, and another one takes it, such as `PostgresStore::import`. It
/// reads the rows page by page, and blocks meanwhile.
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct StoreExport {
    /// The store's time, by which the leases and the retention of its keys are measured.
    pub time: UnixMillis,
    /// A fence that is greater than all that the store has given, of deleted keys too.
    pub next_fence: Fence,
    /// The number of rows.
    pub counts: RowCounts,
    /// The rows. Tenant keys come before the snapshots that need them.
    pub rows: Box<dyn Iterator<Item = Result<StoredRow, StoreError>> + Send>,
}

impl fmt::Debug for StoreExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreExport").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// A row of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a store must copy each kind of row")]
pub enum StoredRow {
    /// An idempotency key that is not archived.
    Key(KeyRecord),
    /// An archived key.
    ArchivedKey(ArchivedKey),
    /// A ticket, waiting or ended.
    Ticket(WaitingTicket),
    /// A standing grant.
    Grant(StandingGrant),
    /// A stored output.
    Output(StoredOutput),
    /// A tenant's key of its evidence, or the version of a destroyed one.
    TenantKey(TenantKey),
    /// An evidence snapshot.
    Snapshot(StoredSnapshot),
    /// A conversation of an agent.
    Session(StoredSession),
    /// A period of an account of a budget.
    BudgetPeriod(StoredPeriod),
    /// A host's change of a limit.
    BudgetControl(BudgetControl),
    /// A message of the outbox.
    Message(StoredMessage),
}

impl StoredRow {
    /// Returns the row's kind.
    #[must_use]
    pub const fn kind(&self) -> RowKind {
        match self {
            Self::Key(_) => RowKind::Key,
            Self::ArchivedKey(_) => RowKind::ArchivedKey,
            Self::Ticket(_) => RowKind::Ticket,
            Self::Grant(_) => RowKind::Grant,
            Self::Output(_) => RowKind::Output,
            Self::TenantKey(_) => RowKind::TenantKey,
            Self::Snapshot(_) => RowKind::Snapshot,
            Self::Session(_) => RowKind::Session,
            Self::BudgetPeriod(_) => RowKind::BudgetPeriod,
            Self::BudgetControl(_) => RowKind::BudgetControl,
            Self::Message(_) => RowKind::Message,
        }
    }

    /// Returns the number of bytes of the row's long values, by which a copy limits its parts.
    #[must_use]
    pub fn long_bytes(&self) -> usize {
        match self {
            Self::Key(record) => match &record.state {
                KeyState::Answered { answer, .. } => answer.body.len() + answer.meta.len(),
                KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => 0,
            },
            Self::Ticket(ticket) => ticket.payload.len(),
            Self::Output(output) => output.text.len(),
            Self::Snapshot(StoredSnapshot { facts, sealed, .. }) => {
                let length = |part: &Option<Vec<u8>>| part.as_ref().map_or(0, Vec::len);
                let sealed = sealed.as_ref();
                facts.facts.len()
                    + sealed.map_or(0, |it| length(&it.arguments) + length(&it.output))
            }
            Self::Session(session) => session.messages.iter().map(Vec::len).sum(),
            Self::Message(stored) => stored.message.payload.len(),
            Self::ArchivedKey(_)
            | Self::Grant(_)
            | Self::TenantKey(_)
            | Self::BudgetPeriod(_)
            | Self::BudgetControl(_) => 0,
        }
    }
}

/// An archived idempotency key: the digest stands for its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct ArchivedKey {
    /// The tenant of the key.
    pub tenant: Uuid,
    /// The [digest](super::ScopedKey::digest) of the key.
    pub digest: Digest,
    /// The fingerprint of the call that claimed it.
    pub fingerprint: Digest,
    /// The fence of the last claim.
    pub fence: Fence,
    /// The amounts of budgets that it reserves.
    pub reserved: Vec<ReservedAmount>,
}

/// A period of an account of a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct StoredPeriod {
    /// The period.
    pub period: BudgetPeriod,
    /// The store's time at which it is deleted; never if none.
    pub delete_at: Option<UnixMillis>,
}

/// A conversation of an agent, with its sealed messages in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the stores make it")]
pub struct StoredSession {
    /// The tenant of the session.
    pub tenant: Uuid,
    /// Its owner.
    pub principal: Box<str>,
    /// The host's name of the session.
    pub session: Box<str>,
    /// The wall-clock time of the last append.
    pub used_at: UnixMillis,
    /// The messages, sealed by the program.
    pub messages: Vec<Vec<u8>>,
}

/// The kind of a [`StoredRow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "a store must copy each kind of row")]
#[allow(missing_docs, reason = "see the variants of `StoredRow`")]
pub enum RowKind {
    Key,
    ArchivedKey,
    Ticket,
    Grant,
    Output,
    TenantKey,
    Snapshot,
    Session,
    BudgetPeriod,
    BudgetControl,
    Message,
}

impl RowKind {
    /// All kinds, in the order of their rows in an export.
    pub const ALL: [Self; 11] = [
        Self::Key,
        Self::ArchivedKey,
        Self::Ticket,
        Self::Grant,
        Self::Output,
        Self::TenantKey,
        Self::Snapshot,
        Self::Session,
        Self::BudgetPeriod,
        Self::BudgetControl,
        Self::Message,
    ];
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key => "keys",
            Self::ArchivedKey => "archived keys",
            Self::Ticket => "tickets",
            Self::Grant => "grants",
            Self::Output => "outputs",
            Self::TenantKey => "tenant keys",
            Self::Snapshot => "snapshots",
            Self::Session => "sessions",
            Self::BudgetPeriod => "periods of budgets",
            Self::BudgetControl => "controls of budgets",
            Self::Message => "messages",
        })
    }
}

/// The number of rows of each kind. Its text (`Display`) names the kinds that have rows: `12 keys, 3 tickets`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowCounts([u64; RowKind::ALL.len()]);

impl RowCounts {
    /// Counts more rows of a kind.
    pub fn add(&mut self, kind: RowKind, rows: u64) {
        self.0[kind as usize] += rows;
    }

    /// Returns the number of rows of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Index<RowKind> for RowCounts {
    type Output = u64;

    fn index(&self, kind: RowKind) -> &u64 {
        &self.0[kind as usize]
    }
}

impl fmt::Display for RowCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for kind in RowKind::ALL {
            if self[kind] > 0 {
                write!(f, "{separator}{} {kind}", self[kind])?;
                separator = ", ";
            }
        }
        if separator.is_empty() { f.write_str("no rows") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_name_the_kinds_that_have_rows() {
        let mut counts = RowCounts::default();
        assert_eq!(counts.to_string(), "no rows");
        counts.add(RowKind::Key, 12);
        counts.add(RowKind::Session, 3);
        assert_eq!((counts.to_string(), counts.total()), ("12 keys, 3 sessions".into(), 15));
    }

    #[test]
    fn kinds_are_in_their_order() {
        for (place, kind) in RowKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{kind}");
        }
    }
}
