//! Idempotency keys in memory.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::budgets::MemoryBudgets;
use super::quota_map::{QuotaEntry, QuotaMap};
use super::{MemoryLimits, MemoryStore, locked};
use crate::store::{
    BudgetStore, Charge, ClaimDecision, ClaimOutcome, ClaimRequest, ClockReading, Fence,
    IdempotencyStore, KeyRecord, KeyState, Reservation, ReserveOutcome, ReservedAmount, ScopedKey,
    Settlement, SettlementDecision, StoreClock, StoreError, StoredAnswer, UnixMillis,
};

#[async_trait]
impl IdempotencyStore for MemoryStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        let mut keys = locked(&self.keys)?;
        Ok(keys.clock.get_or_insert(StoreClock::start(reading)).advance(reading))
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        locked(&self.keys)?.claim(request)
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        Ok(locked(&self.keys)?.renew(key, fence, until))
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        locked(&self.keys)?.settle(key, fence, &settlement, &Charge::Reserved)
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        Ok(locked(&self.keys)?.find(key))
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        Ok(locked(&self.keys)?.unknown(tenant, after, limit))
    }

    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {
        locked(&self.keys)?.invalidate_answer(key)
    }

    async fn archive_unknown(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.keys)?.archive(before, limit))
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.keys)?.sweep(now, limit))
    }

    fn budgets(&self) -> Option<&dyn BudgetStore> {
        Some(self)
    }
}

/// Keys, and the budgets that their claims and settlements change.
pub(super) struct MemoryKeys {
    pub(super) budgets: MemoryBudgets,
    records: QuotaMap<ScopedKey, KeyRecord>,
    unknown: UnknownIndex,
    archive: QuotaMap<[u8; 32], ArchivedKey>,
    last_fence: u64,
    reserved_answer_bytes: usize,
    /// None until the time is read first.
    clock: Option<StoreClock>,
}

/// The record of an archived key.
struct ArchivedKey {
    fingerprint: Digest,
    fence: Fence,
    reserved: Vec<ReservedAmount>,
}

/// The size of an archived key, in bytes: two digests, a fence, a tenant, and the map's entry.
const ARCHIVED_BYTES: usize = 128;

/// Unknown outcomes by their age, with a count for each caller.
#[derive(Default)]
struct UnknownIndex {
    by_age: BTreeSet<(UnixMillis, ScopedKey)>,
    caller_counts: HashMap<(Uuid, Box<str>), usize>,
}

impl UnknownIndex {
    fn add(&mut self, record: &KeyRecord) {
        let since = record.since.unwrap_or(UnixMillis::new(0));
        if self.by_age.insert((since, record.key.clone())) {
            let caller = (record.key.tenant, record.caller.clone());
            *self.caller_counts.entry(caller).or_default() += 1;
        }
    }

    fn remove(&mut self, record: &KeyRecord) {
        let since = record.since.unwrap_or(UnixMillis::new(0));
        if !self.by_age.remove(&(since, record.key.clone())) {
            return;
        }
        let caller = (record.key.tenant, record.caller.clone());
        if let Some(count) = self.caller_counts.get_mut(&caller) {
            *count -= 1;
            if *count == 0 {
                self.caller_counts.remove(&caller);
            }
        }
    }

    fn count(&self, tenant: Uuid, caller: &str) -> usize {
        self.caller_counts.get(&(tenant, caller.into())).copied().unwrap_or_default()
    }
}

impl MemoryKeys {
    pub(super) fn new(limits: MemoryLimits) -> Self {
        let MemoryLimits { keys, reserved_answer_bytes, budget_periods, .. } = limits;
        let (records, archive) = (QuotaMap::new(keys), QuotaMap::new(keys));
        Self {
            budgets: MemoryBudgets::new(budget_periods),
            records,
            unknown: UnknownIndex::default(),
            archive,
            last_fence: 0,
            reserved_answer_bytes,
            clock: None,
        }
    }

    fn find(&self, key: &ScopedKey) -> Option<KeyRecord> {
        self.record(key).map(Cow::into_owned)
    }

    /// Returns the record of a key, an archived one too.
    fn record(&self, key: &ScopedKey) -> Option<Cow<'_, KeyRecord>> {
        if let Some(record) = self.records.get(key) {
            return Some(Cow::Borrowed(record));
        }
        let ArchivedKey { fingerprint, fence, reserved } =
            self.archive.get(key.digest().as_bytes())?;
        let archived = KeyRecord::new(key.clone(), *fingerprint, *fence, KeyState::Archived);
        Some(Cow::Owned(KeyRecord { reserved: reserved.clone(), ..archived }))
    }

    /// Claims a key; the claimant gets it only if its reservations fit.
    pub(super) fn reserve(
        &mut self,
        request: ClaimRequest,
        reservations: &[Reservation],
    ) -> Result<ReserveOutcome, StoreError> {
        let record = self.record(&request.key);
        let missing = KeyRecord::missing_amounts(record.as_deref(), reservations);
        let gets_key = matches!(
            request.decide(record.as_deref()),
            ClaimDecision::Insert { .. } | ClaimDecision::TakeOver { .. }
        );
        if gets_key {
            if let Some(balances) = self.budgets.exceeded(reservations, &missing) {
                return Ok(ReserveOutcome::Exceeded(balances));
            }
        }
        let (key, now) = (request.key.clone(), request.now);
        // Before the claim, so that a store that is full claims nothing.
        if gets_key {
            self.budgets.open_periods(now, reservations)?;
        }
        let outcome = self.claim(request)?;
        let mut balances = Vec::new();
        if let ClaimOutcome::Acquired(_) | ClaimOutcome::TakenOver(_) = outcome {
            if let Some(record) = self.records.get_mut(&key) {
                let accounts = Reservation::account_digests(reservations);
                record.add_reserved(reservations, &accounts, &missing);
            }
            self.budgets.add_reserved(reservations, &missing);
            balances = self.budgets.balances(reservations);
        }
        Ok(ReserveOutcome::Claimed { outcome, balances })
    }

    fn sweep(&mut self, now: UnixMillis, limit: usize) -> usize {
        let keys = self.records.sweep(now, limit);
        keys + self.budgets.sweep(now, limit - keys)
    }

    fn claim(&mut self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        match request.decide(self.record(&request.key).as_deref()) {
            ClaimDecision::NotClaimed(outcome) => Ok(outcome),
            ClaimDecision::Insert { until } => self.insert(request, until),
            ClaimDecision::TakeOver { until } => Ok(self.take_over(request, until)),
            ClaimDecision::ShortenLease { until } => {
                self.set_lease(&request.key, until);
                Ok(ClaimOutcome::Running { until })
            }
        }
    }

    fn insert(
        &mut self,
        request: ClaimRequest,
        until: UnixMillis,
    ) -> Result<ClaimOutcome, StoreError> {
        let ClaimRequest { key, fingerprint, now, caller, max_unknown, .. } = request;
        if max_unknown.is_some_and(|limit| self.unknown.count(key.tenant, &caller) >= limit) {
            return Ok(ClaimOutcome::QuotaExceeded);
        }
        let fence = next(&mut self.last_fence);
        let mut record =
            KeyRecord::new(key.clone(), fingerprint, fence, KeyState::Running { until });
        record.caller = caller;
        let entry = self.entry(record);
        self.records.put_after_sweep(now, key, entry)?;
        Ok(ClaimOutcome::Acquired(fence))
    }

    fn take_over(&mut self, request: ClaimRequest, until: UnixMillis) -> ClaimOutcome {
        let fence = next(&mut self.last_fence);
        if let Some(record) = self.records.get_mut(&request.key) {
            self.unknown.remove(record);
            record.fence = fence;
            record.state = KeyState::Running { until };
            (record.caller, record.since) = (request.caller, None);
        }
        ClaimOutcome::TakenOver(fence)
    }

    fn set_lease(&mut self, key: &ScopedKey, until: UnixMillis) {
        if let Some(record) = self.records.get_mut(key) {
            record.state = KeyState::Running { until };
        }
    }

    fn renew(&mut self, key: &ScopedKey, fence: Fence, until: UnixMillis) -> bool {
        let record = self.records.get(key);
        let end = record.and_then(|record| record.lease_after_renewal(fence, until));
        end.inspect(|end| self.set_lease(key, *end)).is_some()
    }

    pub(super) fn settle(
        &mut self,
        key: &ScopedKey,
        fence: Fence,
        settlement: &Settlement,
        charge: &Charge,
    ) -> Result<bool, StoreError> {
        let record = self.find(key);
        match (settlement.decide(fence, record.as_ref()), record) {
            (SettlementDecision::Unchanged { is_settled }, _) => return Ok(is_settled),
            (SettlementDecision::Store { state, since }, Some(before)) => {
                let mut after = KeyRecord { state, since, ..before.clone() };
                if after.state != KeyState::Unknown {
                    after.reserved = Vec::new();
                }
                self.change(&before, &after)?;
                if after.reserved.is_empty() {
                    self.budgets.settle(key.tenant, &before.reserved, charge);
                }
            }
            (SettlementDecision::Delete, Some(record)) => {
                self.delete(&record);
                self.budgets.settle(key.tenant, &record.reserved, &charge.without_effect());
            }
            // A key without a record is not changed.
            (SettlementDecision::Store { .. } | SettlementDecision::Delete, None) => {}
        }
        Ok(true)
    }

    fn delete(&mut self, record: &KeyRecord) {
        self.unknown.remove(record);
        self.records.remove(&record.key);
        self.archive.remove(record.key.digest().as_bytes());
    }

    /// Replaces a record of the same key.
    fn change(&mut self, before: &KeyRecord, after: &KeyRecord) -> Result<(), StoreError> {
        let is_unknown = after.state == KeyState::Unknown;
        let entry = self.entry(after.clone());
        self.records.put(after.key.clone(), entry)?;
        self.unknown.remove(before);
        if is_unknown {
            self.unknown.add(after);
        }
        Ok(())
    }

    fn invalidate_answer(&mut self, key: &ScopedKey) -> Result<bool, StoreError> {
        let Some(before) = self.records.get(key).cloned() else { return Ok(false) };
        let mut after = before.clone();
        if !after.invalidate_answer() {
            return Ok(false);
        }
        self.change(&before, &after).map(|()| true)
    }

    /// Moves unknown outcomes to the archive, the oldest first, until the archive is full.
    fn archive(&mut self, before: UnixMillis, limit: usize) -> usize {
        let mut archived = 0;
        while archived < limit {
            let Some((since, key)) = self.unknown.by_age.first().cloned() else { break };
            let Some(record) = self.records.get(&key).filter(|_| since <= before).cloned() else {
                break;
            };
            let value = ArchivedKey {
                fingerprint: record.fingerprint,
                fence: record.fence,
                reserved: record.reserved.clone(),
            };
            let (tenant, bytes) = (key.tenant, ARCHIVED_BYTES);
            let entry = QuotaEntry { tenant, value, bytes, expires_at: None };
            if self.archive.put(*key.digest().as_bytes(), entry).is_err() {
                break;
            }
            self.unknown.remove(&record);
            self.records.remove(&key);
            archived += 1;
        }
        archived
    }

    fn unknown(&self, tenant: Uuid, after: Option<&ScopedKey>, limit: usize) -> Vec<KeyRecord> {
        let after = match after {
            Some(last) => Bound::Excluded(last.clone()),
            None => Bound::Included(ScopedKey::new(tenant, "", "", "")),
        };
        let records = self.records.from(after).take_while(|record| record.key.tenant == tenant);
        records.filter(|record| record.state == KeyState::Unknown).take(limit).cloned().collect()
    }

    /// Makes the map's entry of a record: only answers expire.
    fn entry(&self, record: KeyRecord) -> QuotaEntry<KeyRecord> {
        let (bytes, expires_at) = match &record.state {
            KeyState::Answered { answer, keep_until } => (answer_bytes(answer), Some(*keep_until)),
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => {
                (self.reserved_answer_bytes, None)
            }
        };
        let ScopedKey { tenant, principal, tool, key } = &record.key;
        let bytes = bytes.saturating_add(principal.len() + tool.len() + key.len());
        QuotaEntry { tenant: *tenant, value: record, bytes, expires_at }
    }
}

fn next(last_fence: &mut u64) -> Fence {
    *last_fence += 1;
    Fence::new(*last_fence)
}

fn answer_bytes(answer: &StoredAnswer) -> usize {
    answer.body.len().saturating_add(answer.meta.len())
}
