//! Stores idempotency keys.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{
    BudgetStore, ClockReading, ReservedAmount, StoreError, StoreTransaction, TransactionScope,
    UnixMillis,
};

/// Stores idempotency keys: the owner that runs under each key, and the outcome.
///
/// A record is `Running(fence, lease) → Answered | Unknown`. An outcome that stays
/// unknown for long is archived: its small record still refuses a repeat. A record has one owner
/// at a time. An owner with a greater [`Fence`] has taken the key over, and the store refuses the
/// writes of the earlier owner.
///
/// Each operation is atomic, also against other processes that share the store. An operation that
/// returns `Ok` is durable, as far as the backend is. `testing::conformance::idempotency` tests a
/// backend.
///
/// # Time
/// All times in these operations are the store's own time, which [`read_time`](Self::read_time)
/// returns. It does not follow the wall clock: a step of the wall clock must end neither a lease
/// nor the retention of an answer.
#[async_trait]
pub trait IdempotencyStore: Send + Sync + 'static {
    /// Reads the store's time, by which its leases and the retention of its answers are measured.
    ///
    /// It must never go back, never advance by more than the time that passed, and be the same for
    /// all processes that share the store. A backend for the processes of one machine stores a
    /// [`StoreClock`](super::StoreClock) and advances it to the reading. A backend that several
    /// machines share returns its server's time, and ignores the reading.
    ///
    /// A process calls it before its first claim and about once a minute, and advances the time by
    /// the monotonic clock in between.
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError>;

    /// Claims a key; the first claim succeeds.
    ///
    /// The first condition that applies decides:
    ///
    /// 1. The record fails its checksum, in a backend with checksums:
    ///    [`Damaged`](ClaimOutcome::Damaged).
    /// 2. There is no record: [`Acquired`](ClaimOutcome::Acquired), or
    ///    [`QuotaExceeded`](ClaimOutcome::QuotaExceeded) if the caller has reached its
    ///    [quota of unknown outcomes](ClaimRequest::max_unknown).
    /// 3. The record has another fingerprint, in any state: [`Mismatch`](ClaimOutcome::Mismatch).
    /// 4. It is archived: [`Archived`](ClaimOutcome::Archived), even for a claimant that resolves.
    /// 5. It has a success or a final failure: [`Settled`](ClaimOutcome::Settled).
    /// 6. It is unknown: [`TakenOver`](ClaimOutcome::TakenOver) if the claimant
    ///    [resolves](ClaimRequest::resolves) it, else [`Unknown`](ClaimOutcome::Unknown).
    /// 7. It is running: [`Running`](ClaimOutcome::Running) under a valid lease, else `TakenOver`.
    ///
    /// A lease that ends later than `now + lease` of the request was written before the store's
    /// time went back, and is shortened to that. Hence all claimants of a key request the same
    /// lease, and none renews it for longer.
    ///
    /// An expired answer is returned until it is swept; then the key can be claimed anew.
    ///
    /// # Cancellation
    /// If the future is dropped before it is ready, the backend undoes the claim.
    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError>;

    /// Extends the lease to `until`; false if the key no longer runs under this fence.
    ///
    /// An earlier `until` changes nothing and returns true. A lease that has run out may be renewed
    /// until the key is taken over.
    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// Ends a claim; false, and nothing changes, if the key is not held under this fence.
    ///
    /// A key is held while it is running or unknown. Settling it again with the same fence and the
    /// same settlement returns true, so that a settlement may be repeated after an error; for the
    /// same reason, releasing a key that is not stored returns true. Releasing an archived key
    /// with its fence deletes it.
    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError>;

    /// Reads a record.
    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError>;

    /// Lists the unknown records of a tenant, at most `limit`, in a stable order, from the first
    /// after `after`, which may have been resolved.
    ///
    /// Records that failed their checksum are listed, and marked as damaged. Archived ones are not.
    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError>;

    /// Finds the unknown record of a tenant that has this fence.
    ///
    /// The default implementation searches the list of [`list_unknown`](Self::list_unknown).
    async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        const PAGE_SIZE: usize = 256;
        let mut after = None;
        loop {
            let page = self.list_unknown(tenant, after.as_ref(), PAGE_SIZE).await?;
            if let Some(found) = page.iter().find(|record| record.fence == fence) {
                return Ok(Some(found.clone()));
            }
            match page.into_iter().nth(PAGE_SIZE - 1) {
                Some(last) => after = Some(last.key),
                None => return Ok(None),
            }
        }
    }

    /// Makes an answered record unknown, because its answer is invalid; false if the key no
    /// longer has an answer.
    ///
    /// The default implementation returns false, and keeps the answer.
    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {
        let _ = key;
        Ok(false)
    }

    /// Archives unknown outcomes whose last lease ended at `before` or earlier, at most `limit`;
    /// returns how many.
    ///
    /// An archived record has the digests of its key and arguments, without names and answer. It
    /// refuses a repeat until it is released with its fence. The default implementation archives
    /// nothing.
    async fn archive_unknown(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let _ = (before, limit);
        Ok(0)
    }

    /// Deletes expired answers, at most `limit`; returns how many.
    ///
    /// Running, unknown and archived records are never deleted.
    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError>;

    /// Returns a new transaction for an attempt of a call, which begins when its tool uses it.
    ///
    /// The default implementation returns none: no tool can borrow the transaction of such a backend.
    fn transaction(&self, scope: TransactionScope) -> Option<Arc<dyn StoreTransaction>> {
        let _ = scope;
        None
    }

    /// Returns the budgets that are stored beside the keys.
    ///
    /// The default implementation returns none: no host can set a budget with such a backend.
    fn budgets(&self) -> Option<&dyn BudgetStore> {
        None
    }
}

/// The scope and the key of a call: two calls are repeats only if all four fields are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedKey {
    /// The tenant.
    pub tenant: Uuid,
    /// The principal of the call, such as `user:42`.
    pub principal: Box<str>,
    /// The tool's name.
    pub tool: Box<str>,
    /// The key itself: `key:` and the caller's key, `call:` and the model's call, or `ticket:` and
    /// the ticket's id.
    pub key: Box<str>,
}

impl ScopedKey {
    /// Returns the key that a tool reads as [`global_key`](crate::Idempotency::global_key) and
    /// sends downstream: 64 hexadecimal digits.
    #[must_use]
    pub fn global_key(&self) -> String {
        self.digest().to_string()
    }

    /// Returns the [global key](Self::global_key) as a digest, which is equal only for equal keys.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let tenant = self.tenant.to_string();
        let parts = serde_json::json!([tenant, self.principal, self.tool, self.key]).to_string();
        Digest::compute("tool-runtime/idempotency-key/v1", parts.as_bytes())
    }

    /// Creates a key.
    pub fn new(
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        tool: impl Into<Box<str>>,
        key: impl Into<Box<str>>,
    ) -> Self {
        Self { tenant, principal: principal.into(), tool: tool.into(), key: key.into() }
    }
}

/// A fencing token: each owner's is greater than all that the store issued before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(u64);

impl Fence {
    /// Creates a fence, for a backend.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number, which a tool may send downstream.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A request to claim a key.
#[derive(Debug, Clone)]
pub struct ClaimRequest {
    /// The key.
    pub key: ScopedKey,
    /// The hash of the call's arguments.
    pub fingerprint: Digest,
    /// The store's time.
    pub now: UnixMillis,
    /// The time for which the claim is valid unless it is renewed.
    pub lease: Duration,
    /// The claimant can resolve an unknown outcome.
    pub resolves: bool,
    /// The caller whose quota of unknown outcomes this claim counts against: a service's or a
    /// user's name.
    pub caller: Box<str>,
    /// The most unknown outcomes that the caller may have in its tenant; unbounded if none.
    pub max_unknown: Option<usize>,
}

impl ClaimRequest {
    /// Creates a request of a claimant that cannot resolve an unknown outcome.
    #[must_use]
    pub fn new(key: ScopedKey, fingerprint: Digest, now: UnixMillis, lease: Duration) -> Self {
        let caller = key.principal.clone();
        Self { key, fingerprint, now, lease, resolves: false, caller, max_unknown: None }
    }

    /// Sets the caller whose quota this claim counts against, instead of the key's principal, and
    /// the quota of unknown outcomes.
    #[must_use]
    pub fn with_quota(mut self, caller: impl Into<Box<str>>, max_unknown: usize) -> Self {
        self.caller = caller.into();
        self.max_unknown = Some(max_unknown);
        self
    }

    /// Sets whether the claimant can resolve an unknown outcome.
    #[must_use]
    pub fn resolves(mut self, resolves: bool) -> Self {
        self.resolves = resolves;
        self
    }
}

/// The outcome of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The claimant owns the key, and is its first owner.
    Acquired(Fence),
    /// The claimant owns the key; the outcome of an earlier owner is unknown.
    TakenOver(Fence),
    /// Another owner runs under the key.
    Running {
        /// The end of its lease.
        until: UnixMillis,
    },
    /// The key has an answer: a success or a final failure.
    Settled(StoredAnswer),
    /// The outcome is unknown.
    Unknown(Fence),
    /// The key was used with other arguments.
    Mismatch,
    /// The record fails its checksum: a person has to resolve it.
    Damaged(Fence),
    /// The outcome was unknown, and the record was archived.
    Archived,
    /// The key is free, but the caller has reached its quota of unknown outcomes.
    QuotaExceeded,
}

/// The end of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The call has an answer: a success or a final failure.
    Answered {
        /// The answer that a repeat gets.
        answer: StoredAnswer,
        /// The time until which it is kept at least, by the store's time.
        keep_until: UnixMillis,
    },
    /// The outcome is unknown; the record is kept until it is resolved.
    Unknown,
    /// The call had no effect; the record is deleted.
    Released,
}

/// A stored answer, which a repeat gets byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// True for a success, false for a final failure.
    pub succeeded: bool,
    /// The JSON text of the envelope's `data` or `error`.
    pub body: Vec<u8>,
    /// The JSON text of the envelope's `meta`.
    pub meta: Vec<u8>,
}

impl StoredAnswer {
    /// Creates a success from the JSON texts of `data` and `meta`.
    #[must_use]
    pub fn succeeded(body: Vec<u8>, meta: Vec<u8>) -> Self {
        Self { succeeded: true, body, meta }
    }

    /// Creates a final failure from the JSON texts of `error` and `meta`.
    #[must_use]
    pub fn failed(body: Vec<u8>, meta: Vec<u8>) -> Self {
        Self { succeeded: false, body, meta }
    }
}

/// The record of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The key.
    pub key: ScopedKey,
    /// The hash of the call's arguments.
    pub fingerprint: Digest,
    /// The last owner's fence.
    pub fence: Fence,
    /// The state.
    pub state: KeyState,
    /// The caller whose quota it counts against.
    pub caller: Box<str>,
    /// The end of the last lease of an unknown outcome, by which it has become unknown.
    pub since: Option<UnixMillis>,
    /// The amounts of budgets that it reserves: none of a key that is answered, or of a call that spends nothing.
    pub reserved: Vec<ReservedAmount>,
    /// True if the record failed its checksum. It is then unknown, and its other fields are not
    /// reliable.
    pub damaged: bool,
}

impl KeyRecord {
    /// Creates a record, for a backend.
    #[must_use]
    pub fn new(key: ScopedKey, fingerprint: Digest, fence: Fence, state: KeyState) -> Self {
        let caller = key.principal.clone();
        let (since, reserved, damaged) = (None, Vec::new(), false);
        Self { key, fingerprint, fence, state, caller, since, reserved, damaged }
    }

    /// Returns whether a person has to resolve the outcome.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.damaged || self.state == KeyState::Unknown
    }
}

/// The state of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    /// Its owner is running, as far as is known.
    Running {
        /// The end of the lease.
        until: UnixMillis,
    },
    /// It has an answer.
    Answered {
        /// The answer that a repeat gets.
        answer: StoredAnswer,
        /// The time until which it is kept.
        keep_until: UnixMillis,
    },
    /// The outcome is unknown.
    Unknown,
    /// The outcome was unknown for so long that the record was archived.
    Archived,
}
