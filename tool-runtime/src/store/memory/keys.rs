//! Idempotency keys in memory.

use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::shelf::{Entry, Room, Shelf};
use super::{Memory, locked};
use crate::store::{
    ClaimRequest, Claimed, Fence, IdempotencyStore, KeyRecord, KeyScope, KeyState, Settlement,
    StoreError, StoredAnswer, UnixMillis,
};

#[async_trait]
impl IdempotencyStore for Memory {
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed, StoreError> {
        locked(&self.keys)?.claim(request)
    }

    async fn renew(
        &self,
        key: &KeyScope,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        Ok(locked(&self.keys)?.renew(key, fence, until))
    }

    async fn settle(
        &self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        locked(&self.keys)?.settle(key, fence, settlement)
    }

    async fn find(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError> {
        Ok(locked(&self.keys)?.shelf.get(key).cloned())
    }

    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        Ok(locked(&self.keys)?.unknown(tenant, after, most))
    }

    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.keys)?.shelf.sweep(now, most))
    }
}

pub(super) struct Keys {
    shelf: Shelf<KeyScope, KeyRecord>,
    last_fence: u64,
    answer_room: usize,
}

impl Keys {
    pub(super) fn new(room: Room, answer_room: usize) -> Self {
        Self { shelf: Shelf::new(room), last_fence: 0, answer_room }
    }

    fn claim(&mut self, request: ClaimRequest) -> Result<Claimed, StoreError> {
        let latest = request.now.after(request.lease);
        let Some(record) = self.shelf.get_mut(&request.key) else {
            return self.start(request, latest);
        };
        if record.fingerprint != request.fingerprint {
            return Ok(Claimed::Mismatch);
        }
        match &mut record.state {
            KeyState::Answered { answer, .. } => Ok(Claimed::Settled(answer.clone())),
            KeyState::Unknown if !request.resolves => Ok(Claimed::Unknown(record.fence)),
            KeyState::Running { until } if *until > request.now => {
                *until = latest.min(*until);
                Ok(Claimed::Running { until: *until })
            }
            KeyState::Unknown | KeyState::Running { .. } => {
                record.fence = next(&mut self.last_fence);
                record.state = KeyState::Running { until: latest };
                Ok(Claimed::TakenOver(record.fence))
            }
        }
    }

    fn start(&mut self, request: ClaimRequest, until: UnixMillis) -> Result<Claimed, StoreError> {
        let ClaimRequest { key, fingerprint, now, .. } = request;
        let fence = next(&mut self.last_fence);
        let record = KeyRecord::new(key.clone(), fingerprint, fence, KeyState::Running { until });
        let entry = self.entry(record);
        self.shelf.put_at(now, key, entry)?;
        Ok(Claimed::First(fence))
    }

    fn renew(&mut self, key: &KeyScope, fence: Fence, until: UnixMillis) -> bool {
        let Some(record) = self.shelf.get_mut(key).filter(|record| record.fence == fence) else {
            return false;
        };
        let KeyState::Running { until: end } = &mut record.state else { return false };
        *end = until.max(*end);
        true
    }

    fn settle(
        &mut self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        let Some(record) = self.shelf.get(key) else {
            return Ok(settlement == Settlement::Released);
        };
        if record.fence != fence {
            return Ok(false);
        }
        if let KeyState::Answered { .. } = record.state {
            return Ok(stands(&record.state, &settlement));
        }
        let state = match settlement {
            Settlement::Answered { answer, keep_until } => {
                KeyState::Answered { answer, keep_until }
            }
            Settlement::Unknown => KeyState::Unknown,
            Settlement::Released => return Ok(self.shelf.remove(key).is_some()),
        };
        let record = KeyRecord::new(key.clone(), record.fingerprint, fence, state);
        let entry = self.entry(record);
        self.shelf.put(key.clone(), entry)?;
        Ok(true)
    }

    fn unknown(&self, tenant: Uuid, after: Option<&KeyScope>, most: usize) -> Vec<KeyRecord> {
        let after = match after {
            Some(last) => Bound::Excluded(last.clone()),
            None => Bound::Included(KeyScope::new(tenant, "", "", "")),
        };
        let records = self.shelf.from(after).take_while(|record| record.key.tenant == tenant);
        records.filter(|record| record.state == KeyState::Unknown).take(most).cloned().collect()
    }

    /// Says what a record costs, and that only an answer is ever forgotten.
    fn entry(&self, record: KeyRecord) -> Entry<KeyRecord> {
        let (bytes, over_at) = match &record.state {
            KeyState::Answered { answer, keep_until } => (answer_bytes(answer), Some(*keep_until)),
            KeyState::Running { .. } | KeyState::Unknown => (self.answer_room, None),
        };
        let KeyScope { tenant, principal, tool, key } = &record.key;
        let bytes = bytes.saturating_add(principal.len() + tool.len() + key.len());
        Entry { tenant: *tenant, value: record, bytes, over_at }
    }
}

fn next(last_fence: &mut u64) -> Fence {
    *last_fence += 1;
    Fence::new(*last_fence)
}

fn stands(state: &KeyState, settlement: &Settlement) -> bool {
    match (state, settlement) {
        (
            KeyState::Answered { answer, keep_until },
            Settlement::Answered { answer: again, keep_until: until },
        ) => answer == again && keep_until == until,
        _ => false,
    }
}

fn answer_bytes(answer: &StoredAnswer) -> usize {
    answer.body.len().saturating_add(answer.meta.len())
}
