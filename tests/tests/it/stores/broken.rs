//! An in-memory store with one defect, to show that its tests can fail.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::yield_now;
use tool_runtime::Uuid;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, ClockReading, Fence, GrantScope, GrantStore, IdempotencyStore,
    KeyRecord, KeyState, MemoryStore, OutputSlice, OutputStore, ScopedKey, Settlement,
    StandingGrant, StoreError, StoredOutput, TicketEnd, TicketStore, UnixMillis, WaitingTicket,
};

/// A defect of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    None,
    SettlesWithAnyFence,
    RenewsWithAnyFence,
    SettlesOnce,
    ForgetsReleases,
    OneFenceForAll,
    LeasesNeverEnd,
    LeasesEndEarly,
    TrustsTheClock,
    AnyArgumentsFit,
    ForgetsUnknown,
    SweepsUnknown,
    SweepsRunning,
    SweepsTooEarly,
    FollowsTheWallClock,
    CutsAnswers,
    JoinsScopes,
    FoldsCase,
    ListsFromTheStart,
    ClaimsInTwoSteps,
    HoldsDroppedClaims,
    UsesTicketsTwice,
    EndsTicketsInTwoSteps,
    RevivesTickets,
    ListsTicketsFromTheStart,
    ListsEndedTickets,
    ListsExpiredTickets,
    GrantsAllForSome,
    KeepsRevokedGrants,
    ShowsOutputsToAll,
    ReadsWhatIsOver,
}

/// An in-memory store with one defect.
pub(super) struct Broken {
    memory: MemoryStore,
    defect: Defect,
    claimed: Mutex<Vec<ScopedKey>>,
    put_again: Mutex<HashMap<Uuid, usize>>,
    readers: Mutex<HashMap<Uuid, (Uuid, Box<str>)>>,
    ended: Mutex<Vec<Uuid>>,
}

impl Broken {
    pub(super) fn by(defect: Defect) -> Self {
        Self {
            memory: MemoryStore::new(),
            defect,
            claimed: Mutex::default(),
            put_again: Mutex::default(),
            readers: Mutex::default(),
            ended: Mutex::default(),
        }
    }

    fn is(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    /// Returns the scope under which a key is stored.
    fn stored(&self, key: &ScopedKey) -> ScopedKey {
        let ScopedKey { tenant, principal, tool, key: name, .. } = key;
        match self.defect {
            Defect::JoinsScopes => {
                ScopedKey::new(*tenant, "", "", format!("{principal}{tool}{name}"))
            }
            Defect::FoldsCase => {
                let [principal, tool, name] =
                    [principal, tool, name].map(|text| text.to_lowercase());
                ScopedKey::new(*tenant, principal, tool, name)
            }
            _ => key.clone(),
        }
    }

    /// Returns the fence that the store expects, independently of the caller's.
    async fn fence(&self, key: &ScopedKey, given: Fence) -> Result<Fence, StoreError> {
        Ok(self.memory.find(key).await?.map_or(given, |record| record.fence))
    }

    fn shown(&self, fence: Fence) -> Fence {
        if self.is(Defect::OneFenceForAll) { Fence::new(7) } else { fence }
    }

    /// The answer of a defective store that does not call the inner one.
    fn guess(&self, record: &KeyRecord, request: &ClaimRequest) -> Option<ClaimOutcome> {
        let KeyState::Running { until } = record.state else { return None };
        let latest = request.now.after(request.lease);
        let never_over =
            self.is(Defect::LeasesNeverEnd) && record.fingerprint == request.fingerprint;
        let never_cut = self.is(Defect::TrustsTheClock) && until > latest;
        (never_over || never_cut).then_some(ClaimOutcome::Running { until })
    }

    /// Releases every claim in one of these states.
    async fn release(&self, which: impl Fn(&KeyState) -> bool + Send) -> Result<(), StoreError> {
        let claimed = self.claimed.lock().unwrap().clone();
        for key in claimed {
            let record = self.memory.find(&key).await?;
            if let Some(record) = record.filter(|record| which(&record.state)) {
                self.memory.settle(&key, record.fence, Settlement::Released).await?;
            }
        }
        Ok(())
    }
}

#[async_trait]
impl IdempotencyStore for Broken {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        if self.is(Defect::FollowsTheWallClock) {
            return Ok(reading.wall());
        }
        self.memory.read_time(reading).await
    }

    async fn claim(&self, mut request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        request.key = self.stored(&request.key);
        self.claimed.lock().unwrap().push(request.key.clone());
        let record = self.memory.find(&request.key).await?;
        if let Some(record) = &record {
            if let Some(guess) = self.guess(record, &request) {
                return Ok(guess);
            }
            if self.is(Defect::AnyArgumentsFit) {
                request.fingerprint = record.fingerprint;
            }
        }
        if self.is(Defect::ClaimsInTwoSteps) && record.is_none() {
            yield_now().await;
            let fence = self.fence(&request.key, Fence::new(0)).await?;
            self.memory.settle(&request.key, fence, Settlement::Released).await?;
        }
        if self.is(Defect::LeasesEndEarly) && record.is_some() {
            request.now = request.now.after(Duration::from_secs(10));
        }
        let claimed = self.memory.claim(request).await?;
        if self.is(Defect::HoldsDroppedClaims) {
            yield_now().await;
        }
        Ok(match claimed {
            ClaimOutcome::Acquired(fence) => ClaimOutcome::Acquired(self.shown(fence)),
            ClaimOutcome::TakenOver(fence) => ClaimOutcome::TakenOver(self.shown(fence)),
            ClaimOutcome::Unknown(fence) => ClaimOutcome::Unknown(self.shown(fence)),
            other => other,
        })
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        let key = self.stored(key);
        let any = self.is(Defect::RenewsWithAnyFence) || self.is(Defect::OneFenceForAll);
        let fence = if any { self.fence(&key, fence).await? } else { fence };
        self.memory.renew(&key, fence, until).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        mut settlement: Settlement,
    ) -> Result<bool, StoreError> {
        let key = self.stored(key);
        let any = self.is(Defect::SettlesWithAnyFence) || self.is(Defect::OneFenceForAll);
        let fence = if any { self.fence(&key, fence).await? } else { fence };
        let state = self.memory.find(&key).await?.map(|record| record.state);
        match (self.defect, &mut settlement) {
            (Defect::SettlesOnce, _) if matches!(state, Some(KeyState::Answered { .. })) => {
                return Ok(false);
            }
            (Defect::ForgetsReleases, Settlement::Released) if state.is_none() => {
                return Ok(false);
            }
            (Defect::ForgetsUnknown, Settlement::Unknown) => settlement = Settlement::Released,
            (Defect::CutsAnswers, Settlement::Answered { answer, .. }) => {
                answer.body.truncate(1_000);
            }
            _ => {}
        }
        self.memory.settle(&key, fence, settlement).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        let found = self.memory.find(&self.stored(key)).await?;
        Ok(found.map(|mut record| {
            record.key = key.clone();
            record.fence = self.shown(record.fence);
            record
        }))
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let after = after.filter(|_| !self.is(Defect::ListsFromTheStart));
        self.memory.list_unknown(tenant, after, limit).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        match self.defect {
            Defect::SweepsUnknown => self.release(|state| *state == KeyState::Unknown).await?,
            Defect::SweepsRunning => {
                self.release(|state| matches!(state, KeyState::Running { .. })).await?;
            }
            _ => {}
        }
        let early = Duration::from_secs(u64::from(self.is(Defect::SweepsTooEarly)));
        self.memory.sweep_keys(now.after(early), limit).await
    }
}

#[async_trait]
impl TicketStore for Broken {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        if self.memory.find_ticket(ticket.id).await?.is_some() {
            *self.put_again.lock().unwrap().entry(ticket.id).or_default() += 1;
        }
        self.memory.put_ticket(ticket).await
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        self.memory.find_ticket(id).await
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        let found = self.memory.find_ticket(id).await?;
        if self.is(Defect::EndsTicketsInTwoSteps) {
            yield_now().await;
            self.memory.end_ticket(id, end).await?;
            return Ok(found.map_or(Some(TicketEnd::Expired), |ticket| ticket.end));
        }
        let revived = self.put_again.lock().unwrap().get(&id).is_some_and(|times| *times > 1);
        let forgetful =
            self.is(Defect::UsesTicketsTwice) || (self.is(Defect::RevivesTickets) && revived);
        let before = self.memory.end_ticket(id, end).await?;
        self.ended.lock().unwrap().push(id);
        Ok(before.filter(|_| found.is_none() || !forgetful))
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let after = after.filter(|_| !self.is(Defect::ListsTicketsFromTheStart));
        let now = if self.is(Defect::ListsExpiredTickets) { UnixMillis::new(0) } else { now };
        let mut listed = self.memory.waiting_tickets(tenant, after, limit, now).await?;
        if self.is(Defect::ListsEndedTickets) {
            let ended = self.ended.lock().unwrap().clone();
            for id in ended {
                let found = self.memory.find_ticket(id).await?;
                listed.extend(found.filter(|ticket| ticket.tenant == tenant));
            }
        }
        Ok(listed)
    }

    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        self.memory.supersede_tickets(tenant, conversation).await
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.memory.sweep_tickets(now, limit).await
    }
}

#[async_trait]
impl GrantStore for Broken {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError> {
        self.memory.put_grant(grant).await
    }

    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError> {
        let found = self.memory.find_grant(scope).await?;
        if found.is_some() || !self.is(Defect::GrantsAllForSome) {
            return Ok(found);
        }
        let mut whole = scope.clone();
        whole.arguments = None;
        self.memory.find_grant(&whole).await
    }

    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        if self.is(Defect::KeepsRevokedGrants) {
            return Ok(false);
        }
        self.memory.revoke_grant(scope).await
    }

    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        self.memory.grants(tenant, after, limit).await
    }
}

#[async_trait]
impl OutputStore for Broken {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError> {
        let reader = (output.tenant, output.principal.clone());
        self.readers.lock().unwrap().entry(output.id).or_insert(reader);
        self.memory.put_output(output).await
    }

    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError> {
        let reader = self.readers.lock().unwrap().get(&id).cloned();
        let reader = reader.filter(|_| self.is(Defect::ShowsOutputsToAll));
        let (tenant, principal) = reader.unwrap_or((tenant, principal.into()));
        let now = if self.is(Defect::ReadsWhatIsOver) { UnixMillis::new(0) } else { now };
        self.memory.read_output(id, tenant, &principal, offset, limit, now).await
    }

    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.memory.sweep_outputs(now, limit).await
    }
}
