//! An in-memory store that fails on demand.

use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tool_runtime_core::store::{
    AttemptResult, ClaimOutcome, ClaimRequest, ClockReading, Fence, GrantScope, GrantStore,
    IdempotencyStore, KeyRecord, LeasedMessage, MemoryStore, OutboxBatch, OutboxStore, OutputSlice,
    OutputStore, ScopedKey, Settlement, StandingGrant, StoreError, StoreErrorKind, StoredMessage,
    StoredOutput, TicketEnd, TicketQuota, TicketStore, UnixMillis, WaitingTicket,
};
use uuid::Uuid;

/// An in-memory store with faults that a test sets.
///
/// This is a handle: its clones are the same store. Without faults it behaves like [`MemoryStore`].
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{FaultyStore, StoreFault, StoreOperation, context, expect_output};
/// # use tool_runtime::contracts::Permission;
///
/// /// Orders tea.
/// #[ai_tool(effect = "write")]
/// fn order_tea(dry_run: &DryRun) -> bool {
///     !dry_run.is_active()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = FaultyStore::new();
/// let runtime = Runtime::builder()
///     .tool::<OrderTeaTool>()
///     .permission("order_tea", Permission::Allow)
///     .store(store.clone())
///     .build()?;
/// let cx = context().build()?.with_idempotency_key("order-1")?;
///
/// // A store that is down: the write does not run.
/// store.fail_next(StoreOperation::Claim, StoreFault::Fails);
/// let mut call = runtime.call("order_tea", "{}", &cx);
/// expect_output(call.execute().await).failed().code("UNAVAILABLE");
///
/// let mut call = runtime.call("order_tea", "{}", &cx);
/// expect_output(call.execute().await).ok().data(true);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FaultyStore {
    memory: MemoryStore,
    faults: Arc<Mutex<Faults>>,
}

/// An operation of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreOperation {
    /// Claiming an idempotency key.
    Claim,
    /// Renewing a lease.
    Renew,
    /// Settling a claim.
    Settle,
    /// Reading records of keys.
    FindKeys,
    /// Writing, ending or reading a ticket.
    Tickets,
    /// Writing, revoking or reading a standing grant.
    Grants,
    /// Writing or reading a long answer.
    Outputs,
    /// Sweeping expired records.
    Sweep,
}

/// The way in which an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    /// The operation is not done, and returns an error.
    Fails,
    /// The operation is done, and still returns an error: the most difficult fault.
    ResponseLost,
    /// The operation is not done, and never returns.
    Hangs,
}

#[derive(Debug, Default)]
struct Faults {
    next: HashMap<StoreOperation, VecDeque<StoreFault>>,
    always: HashMap<StoreOperation, StoreFault>,
}

impl FaultyStore {
    /// Makes an empty store without faults.
    #[must_use]
    pub fn new() -> Self {
        Self { memory: MemoryStore::new(), faults: Arc::default() }
    }

    /// Lets the next operation of this kind fail. Repeated calls add further faults.
    pub fn fail_next(&self, operation: StoreOperation, fault: StoreFault) {
        self.change(|faults| faults.next.entry(operation).or_default().push_back(fault));
    }

    /// Lets every operation of this kind fail from now on.
    pub fn fail_always(&self, operation: StoreOperation, fault: StoreFault) {
        self.change(|faults| faults.always.insert(operation, fault));
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.change(|faults| *faults = Faults::default());
    }

    fn change<T>(&self, change: impl FnOnce(&mut Faults) -> T) -> T {
        change(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take_fault(&self, operation: StoreOperation) -> Option<StoreFault> {
        self.change(|faults| {
            let next = faults.next.get_mut(&operation).and_then(VecDeque::pop_front);
            next.or_else(|| faults.always.get(&operation).copied())
        })
    }

    /// Runs an operation, unless a fault is due.
    async fn run<T>(
        &self,
        operation: StoreOperation,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        match self.take_fault(operation) {
            None => return work.await,
            Some(StoreFault::Fails) => {}
            Some(StoreFault::ResponseLost) => drop(work.await?),
            Some(StoreFault::Hangs) => pending::<()>().await,
        }
        Err(StoreError::new(
            StoreErrorKind::Unavailable,
            format!("{operation:?} fails because the test set a fault"),
        ))
    }
}

impl Default for FaultyStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for FaultyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("FaultyStore").field("faults", &*faults).finish_non_exhaustive()
    }
}

#[async_trait]
impl IdempotencyStore for FaultyStore {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError> {
        self.memory.read_time(reading).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError> {
        self.run(StoreOperation::Claim, self.memory.claim(request)).await
    }

    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.run(StoreOperation::Renew, self.memory.renew(key, fence, until)).await
    }

    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError> {
        self.run(StoreOperation::Settle, self.memory.settle(key, fence, settlement)).await
    }

    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        self.run(StoreOperation::FindKeys, self.memory.find(key)).await
    }

    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.run(StoreOperation::FindKeys, self.memory.list_unknown(tenant, after, limit)).await
    }

    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {
        self.run(StoreOperation::Settle, self.memory.invalidate_answer(key)).await
    }

    async fn archive_unknown(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.run(StoreOperation::Sweep, self.memory.archive_unknown(before, limit)).await
    }

    async fn sweep_keys(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.run(StoreOperation::Sweep, self.memory.sweep_keys(now, limit)).await
    }
}

#[async_trait]
impl TicketStore for FaultyStore {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError> {
        self.run(StoreOperation::Tickets, self.memory.put_ticket(ticket)).await
    }

    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let work = self.memory.put_ticket_within(ticket, quota, now);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError> {
        self.run(StoreOperation::Tickets, self.memory.find_ticket(id)).await
    }

    async fn end_ticket(&self, id: Uuid, end: TicketEnd) -> Result<Option<TicketEnd>, StoreError> {
        self.run(StoreOperation::Tickets, self.memory.end_ticket(id, end)).await
    }

    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError> {
        let work = self.memory.waiting_tickets(tenant, after, limit, now);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError> {
        let work = self.memory.supersede_tickets(tenant, conversation);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn sweep_tickets(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.run(StoreOperation::Sweep, self.memory.sweep_tickets(now, limit)).await
    }

    fn outbox(&self) -> Option<&dyn OutboxStore> {
        Some(self)
    }
}

#[async_trait]
impl OutboxStore for FaultyStore {
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError> {
        let work = self.memory.put_ticket_with(ticket, quota, now, batch);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError> {
        self.run(StoreOperation::Tickets, self.memory.end_ticket_with(id, end, batch)).await
    }

    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError> {
        self.run(StoreOperation::Tickets, self.memory.put_messages(batch)).await
    }

    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError> {
        let work = self.memory.lease_messages(receiver, now, lease_until, limit);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError> {
        let work = self.memory.settle_message(receiver, id, lease, result);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let work = self.memory.dead_messages(receiver, after, limit);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        let work = self.memory.requeue_message(receiver, id, now);
        self.run(StoreOperation::Tickets, work).await
    }

    async fn sweep_messages(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.run(StoreOperation::Sweep, self.memory.sweep_messages(now, limit)).await
    }
}

#[async_trait]
impl GrantStore for FaultyStore {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError> {
        self.run(StoreOperation::Grants, self.memory.put_grant(grant)).await
    }

    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError> {
        self.run(StoreOperation::Grants, self.memory.find_grant(scope)).await
    }

    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        self.run(StoreOperation::Grants, self.memory.revoke_grant(scope)).await
    }

    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        self.run(StoreOperation::Grants, self.memory.grants(tenant, after, limit)).await
    }
}

#[async_trait]
impl OutputStore for FaultyStore {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError> {
        self.run(StoreOperation::Outputs, self.memory.put_output(output)).await
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
        let work = self.memory.read_output(id, tenant, principal, offset, limit, now);
        self.run(StoreOperation::Outputs, work).await
    }

    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.run(StoreOperation::Sweep, self.memory.sweep_outputs(now, limit)).await
    }
}
