//! The limits of a store in memory.

use super::quota_map::StoreQuota;

/// The quotas of one tenant in a [`MemoryStore`](super::MemoryStore), which also bound all tenants
/// together.
///
/// Each kind of record has a limit on its number and one on its bytes: texts, payloads and answers,
/// without the store's own overhead. The limits are for one tenant. All tenants together may use
/// twice as much, so that no tenant fills the store for the others:
///
/// - A tenant may add a record if it then uses no more than is still free in total.
/// - A single tenant can use its whole quota, and leaves as much free for others.
/// - Tenants that add all they can end up with equal parts: two with two thirds of the quota each,
///   three with a half.
/// - A new tenant can always use half of what the others left.
///
/// With a single tenant, the limits are simply the size of the store.
///
/// # Examples
/// ```
/// use tool_runtime::store::{MemoryStore, MemoryLimits};
///
/// let limits = MemoryLimits::new().with_keys(1_000, 8 * 1024 * 1024).with_outputs(100, 1024 * 1024);
/// let store = MemoryStore::bounded(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    pub(super) keys: StoreQuota,
    pub(super) reserved_answer_bytes: usize,
    pub(super) tickets: StoreQuota,
    pub(super) grants: StoreQuota,
    pub(super) outputs: StoreQuota,
    pub(super) snapshots: StoreQuota,
    pub(super) tenant_keys: StoreQuota,
    pub(super) budget_periods: StoreQuota,
    pub(super) messages: StoreQuota,
}

impl MemoryLimits {
    /// Creates the defaults, for each tenant: 65,536 keys in 64 MiB, 4 KiB reserved for each
    /// answer, 8,192 tickets in 32 MiB, 16,384 grants in 8 MiB, 1,024 outputs in 64 MiB, 16,384
    /// snapshots in 64 MiB, 65,536 keys of the vault in 16 MiB, 65,536 periods of budgets in 16 MiB,
    /// 65,536 messages of the outbox in 64 MiB.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            keys: StoreQuota::new(65_536, 64 * MEBIBYTE),
            reserved_answer_bytes: 4 * 1024,
            tickets: StoreQuota::new(8_192, 32 * MEBIBYTE),
            grants: StoreQuota::new(16_384, 8 * MEBIBYTE),
            outputs: StoreQuota::new(1_024, 64 * MEBIBYTE),
            snapshots: StoreQuota::new(16_384, 64 * MEBIBYTE),
            tenant_keys: StoreQuota::new(65_536, 16 * MEBIBYTE),
            budget_periods: StoreQuota::new(65_536, 16 * MEBIBYTE),
            messages: StoreQuota::new(65_536, 64 * MEBIBYTE),
        }
    }

    /// Limits a tenant's idempotency keys, and the bytes of keys and answers.
    #[must_use]
    pub const fn with_keys(mut self, limit: usize, bytes: usize) -> Self {
        self.keys = StoreQuota::new(limit, bytes);
        self
    }

    /// Sets how many bytes a claim reserves for its answer.
    ///
    /// An answer up to this size can always be stored once its key is claimed. For a longer one,
    /// the store may be full after the call has run.
    #[must_use]
    pub const fn with_reserved_answer_bytes(mut self, bytes: usize) -> Self {
        self.reserved_answer_bytes = bytes;
        self
    }

    /// Limits a tenant's tickets, and the bytes of their sealed calls.
    #[must_use]
    pub const fn with_tickets(mut self, limit: usize, bytes: usize) -> Self {
        self.tickets = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits a tenant's standing grants, and the bytes of their texts.
    #[must_use]
    pub const fn with_grants(mut self, limit: usize, bytes: usize) -> Self {
        self.grants = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits a tenant's stored outputs, and their bytes.
    #[must_use]
    pub const fn with_outputs(mut self, limit: usize, bytes: usize) -> Self {
        self.outputs = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits the snapshots of a tenant's calls, and the bytes of their facts and sealed contents.
    #[must_use]
    pub const fn with_snapshots(mut self, limit: usize, bytes: usize) -> Self {
        self.snapshots = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits a tenant's keys of the vault. A destroyed key still counts.
    #[must_use]
    pub const fn with_tenant_keys(mut self, limit: usize, bytes: usize) -> Self {
        self.tenant_keys = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits the periods of a tenant's budgets, and the bytes of their names.
    #[must_use]
    pub const fn with_budget_periods(mut self, limit: usize, bytes: usize) -> Self {
        self.budget_periods = StoreQuota::new(limit, bytes);
        self
    }

    /// Limits a tenant's messages of the outbox, and the bytes of their sealed payloads.
    #[must_use]
    pub const fn with_messages(mut self, limit: usize, bytes: usize) -> Self {
        self.messages = StoreQuota::new(limit, bytes);
        self
    }
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self::new()
    }
}

const MEBIBYTE: usize = 1024 * 1024;
