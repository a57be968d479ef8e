//! Idempotency keys in memory.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::shelf::{Entry, Room, Shelf};
use super::{Memory, locked};
use crate::canonical::Digest;
use crate::store::{
    ClaimRequest, Claimed, ClockReading, Fence, IdempotencyStore, KeyRecord, KeyScope, KeyState,
    Settlement, StoreError, StoredAnswer, Timeline, UnixMillis,
};

#[async_trait]
impl IdempotencyStore for Memory {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        let mut keys = locked(&self.keys)?;
        Ok(keys.timeline.get_or_insert(Timeline::start(reading)).advance(reading))
    }

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
        Ok(locked(&self.keys)?.find(key))
    }

    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        Ok(locked(&self.keys)?.unknown(tenant, after, most))
    }

    async fn distrust(&self, key: &KeyScope) -> Result<bool, StoreError> {
        locked(&self.keys)?.distrust(key)
    }

    async fn archive_unknown(&self, before: UnixMillis, most: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.keys)?.archive(before, most))
    }

    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.keys)?.shelf.sweep(now, most))
    }
}

pub(super) struct Keys {
    shelf: Shelf<KeyScope, KeyRecord>,
    unknown: Unknown,
    archive: Shelf<[u8; 32], Archived>,
    last_fence: u64,
    answer_room: usize,
    /// None until it is read first.
    timeline: Option<Timeline>,
}

/// The record of a key whose outcome stayed unknown for long.
struct Archived {
    fingerprint: Digest,
    fence: Fence,
}

/// Bytes that an archived key costs: two digests, a fence, a tenant, and their place in the map.
const ARCHIVED_BYTES: usize = 128;

/// Unknown outcomes by their age, and how many each caller has.
#[derive(Default)]
struct Unknown {
    by_age: BTreeSet<(UnixMillis, KeyScope)>,
    of_asker: HashMap<(Uuid, Box<str>), usize>,
}

impl Unknown {
    fn add(&mut self, record: &KeyRecord) {
        let since = record.since.unwrap_or(UnixMillis::new(0));
        if self.by_age.insert((since, record.key.clone())) {
            let asker = (record.key.tenant, record.asker.clone());
            *self.of_asker.entry(asker).or_default() += 1;
        }
    }

    fn remove(&mut self, record: &KeyRecord) {
        let since = record.since.unwrap_or(UnixMillis::new(0));
        if !self.by_age.remove(&(since, record.key.clone())) {
            return;
        }
        let asker = (record.key.tenant, record.asker.clone());
        if let Some(count) = self.of_asker.get_mut(&asker) {
            *count -= 1;
            if *count == 0 {
                self.of_asker.remove(&asker);
            }
        }
    }

    fn count(&self, tenant: Uuid, asker: &str) -> usize {
        self.of_asker.get(&(tenant, asker.into())).copied().unwrap_or_default()
    }
}

impl Keys {
    pub(super) fn new(room: Room, answer_room: usize) -> Self {
        let (shelf, archive) = (Shelf::new(room), Shelf::new(room));
        Self {
            shelf,
            unknown: Unknown::default(),
            archive,
            last_fence: 0,
            answer_room,
            timeline: None,
        }
    }

    fn find(&self, key: &KeyScope) -> Option<KeyRecord> {
        self.shelf.get(key).cloned().or_else(|| {
            let Archived { fingerprint, fence } = self.archive.get(key.digest().as_bytes())?;
            Some(KeyRecord::new(key.clone(), *fingerprint, *fence, KeyState::Archived))
        })
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
            KeyState::Archived => Ok(Claimed::Archived),
            KeyState::Unknown if !request.resolves => Ok(Claimed::Unknown(record.fence)),
            KeyState::Running { until } if *until > request.now => {
                *until = latest.min(*until);
                Ok(Claimed::Running { until: *until })
            }
            KeyState::Unknown | KeyState::Running { .. } => {
                self.unknown.remove(record);
                record.fence = next(&mut self.last_fence);
                record.state = KeyState::Running { until: latest };
                (record.asker, record.since) = (request.asker, None);
                Ok(Claimed::TakenOver(record.fence))
            }
        }
    }

    fn start(&mut self, request: ClaimRequest, until: UnixMillis) -> Result<Claimed, StoreError> {
        let ClaimRequest { key, fingerprint, now, asker, most_unknown, .. } = request;
        if let Some(archived) = self.archive.get(key.digest().as_bytes()) {
            let is_same = archived.fingerprint == fingerprint;
            return Ok(if is_same { Claimed::Archived } else { Claimed::Mismatch });
        }
        if most_unknown.is_some_and(|most| self.unknown.count(key.tenant, &asker) >= most) {
            return Ok(Claimed::ShareFull);
        }
        let fence = next(&mut self.last_fence);
        let mut record =
            KeyRecord::new(key.clone(), fingerprint, fence, KeyState::Running { until });
        record.asker = asker;
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
            let is_archived = self.archive.get(key.digest().as_bytes()).map(|it| it.fence == fence);
            if settlement == Settlement::Released && is_archived == Some(true) {
                self.archive.remove(key.digest().as_bytes());
            }
            return Ok(settlement == Settlement::Released && is_archived.unwrap_or(true));
        };
        if record.fence != fence {
            return Ok(false);
        }
        let mut after = record.clone();
        match (&record.state, settlement) {
            (KeyState::Answered { .. }, settlement) => {
                return Ok(stands(&record.state, &settlement));
            }
            (_, Settlement::Answered { answer, keep_until }) => {
                after.since = None;
                after.state = KeyState::Answered { answer, keep_until };
            }
            (KeyState::Running { until }, Settlement::Unknown) => {
                after.since = Some(*until);
                after.state = KeyState::Unknown;
            }
            (_, Settlement::Unknown) => return Ok(true),
            (_, Settlement::Released) => {
                self.unknown.remove(record);
                return Ok(self.shelf.remove(key).is_some());
            }
        }
        let before = record.clone();
        self.change(&before, &after)?;
        Ok(true)
    }

    /// Puts a record in place of an earlier one of the same key.
    fn change(&mut self, before: &KeyRecord, after: &KeyRecord) -> Result<(), StoreError> {
        let is_unknown = after.state == KeyState::Unknown;
        let entry = self.entry(after.clone());
        self.shelf.put(after.key.clone(), entry)?;
        self.unknown.remove(before);
        if is_unknown {
            self.unknown.add(after);
        }
        Ok(())
    }

    fn distrust(&mut self, key: &KeyScope) -> Result<bool, StoreError> {
        let Some(before) = self.shelf.get(key).cloned() else { return Ok(false) };
        let KeyState::Answered { keep_until, .. } = before.state else { return Ok(false) };
        let mut after = before.clone();
        after.since = Some(keep_until);
        after.state = KeyState::Unknown;
        self.change(&before, &after).map(|()| true)
    }

    /// Moves unknown outcomes into the archive, the oldest first, as far as it has room.
    fn archive(&mut self, before: UnixMillis, most: usize) -> usize {
        let mut archived = 0;
        while archived < most {
            let Some((since, key)) = self.unknown.by_age.first().cloned() else { break };
            let Some(record) = self.shelf.get(&key).filter(|_| since <= before).cloned() else {
                break;
            };
            let value = Archived { fingerprint: record.fingerprint, fence: record.fence };
            let (tenant, bytes) = (key.tenant, ARCHIVED_BYTES);
            let entry = Entry { tenant, value, bytes, over_at: None };
            if self.archive.put(*key.digest().as_bytes(), entry).is_err() {
                break;
            }
            self.unknown.remove(&record);
            self.shelf.remove(&key);
            archived += 1;
        }
        archived
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
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => {
                (self.answer_room, None)
            }
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
