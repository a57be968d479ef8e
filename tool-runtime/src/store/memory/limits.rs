//! How much a store in memory may hold.

use super::shelf::Room;

/// Bounds what one tenant may hold in a [`Memory`](super::Memory) store, and by that what all may.
///
/// Each kind has a bound on how many there are and one on their bytes: texts, payloads and
/// answers, without the store's own bookkeeping. They are for one tenant; all tenants together may
/// hold twice as much, so that no tenant fills the store for the others:
///
/// - A tenant may take something more if it then holds no more than is still free of the whole.
/// - One tenant alone comes to its bound, and leaves as much again to others.
/// - Of several that take all they can, each comes to the same part: of two two thirds of the
///   bound, of three a half.
/// - Whatever the others hold, a tenant that comes new may take half of what they left.
///
/// A host of one tenant needs to know nothing of this: the bounds are what its store holds.
///
/// # Examples
/// ```
/// use tool_runtime::store::{Memory, MemoryLimits};
///
/// let limits = MemoryLimits::new().with_keys(1_000, 8 * 1024 * 1024).with_outputs(100, 1024 * 1024);
/// let store = Memory::bounded(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    pub(super) keys: Room,
    pub(super) answer_room: usize,
    pub(super) tickets: Room,
    pub(super) grants: Room,
    pub(super) outputs: Room,
    #[cfg(feature = "evidence")]
    pub(super) snapshots: Room,
    #[cfg(feature = "evidence")]
    pub(super) tenant_keys: Room,
}

impl MemoryLimits {
    /// Gives the defaults, a tenant: 65 536 keys in 64 MiB, 4 KiB set aside for each answer to come,
    /// 8 192 tickets in 32 MiB, 16 384 grants in 8 MiB, 1 024 outputs in 64 MiB,
    /// 16 384 snapshots in 64 MiB, 65 536 keys of the vault in 16 MiB.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            keys: Room::new(65_536, 64 * MEBIBYTE),
            answer_room: 4 * 1024,
            tickets: Room::new(8_192, 32 * MEBIBYTE),
            grants: Room::new(16_384, 8 * MEBIBYTE),
            outputs: Room::new(1_024, 64 * MEBIBYTE),
            #[cfg(feature = "evidence")]
            snapshots: Room::new(16_384, 64 * MEBIBYTE),
            #[cfg(feature = "evidence")]
            tenant_keys: Room::new(65_536, 16 * MEBIBYTE),
        }
    }

    /// Bounds a tenant's idempotency keys, and the bytes of keys and answers.
    #[must_use]
    pub const fn with_keys(mut self, most: usize, bytes: usize) -> Self {
        self.keys = Room::new(most, bytes);
        self
    }

    /// Sets how many bytes a claim sets aside for its answer.
    ///
    /// An answer up to this length can always be stored once its claim was granted. A longer one
    /// may find the store full when the call has already run.
    #[must_use]
    pub const fn with_answer_room(mut self, bytes: usize) -> Self {
        self.answer_room = bytes;
        self
    }

    /// Bounds a tenant's tickets, and the bytes of what waits behind them.
    #[must_use]
    pub const fn with_tickets(mut self, most: usize, bytes: usize) -> Self {
        self.tickets = Room::new(most, bytes);
        self
    }

    /// Bounds a tenant's standing grants, and the bytes of their texts.
    #[must_use]
    pub const fn with_grants(mut self, most: usize, bytes: usize) -> Self {
        self.grants = Room::new(most, bytes);
        self
    }

    /// Bounds a tenant's kept outputs, and their bytes.
    #[must_use]
    pub const fn with_outputs(mut self, most: usize, bytes: usize) -> Self {
        self.outputs = Room::new(most, bytes);
        self
    }

    /// Bounds the snapshots of a tenant's calls, and the bytes of what they say and keep sealed.
    #[cfg(feature = "evidence")]
    #[must_use]
    pub const fn with_snapshots(mut self, most: usize, bytes: usize) -> Self {
        self.snapshots = Room::new(most, bytes);
        self
    }

    /// Bounds the keys of one tenant, and of all to twice that. One that is destroyed keeps its place.
    #[cfg(feature = "evidence")]
    #[must_use]
    pub const fn with_tenant_keys(mut self, most: usize, bytes: usize) -> Self {
        self.tenant_keys = Room::new(most, bytes);
        self
    }
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self::new()
    }
}

const MEBIBYTE: usize = 1024 * 1024;
