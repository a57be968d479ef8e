//! A bounded store in memory, for tests and for calls that need no durable state.

mod budgets;
mod evidence;
mod grants;
mod keys;
mod limits;
mod outbox;
mod outputs;
mod quota_map;
mod tickets;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use self::evidence::MemoryEvidence;
use self::grants::MemoryGrants;
use self::keys::MemoryKeys;
pub use self::limits::MemoryLimits;
use self::outputs::MemoryOutputs;
use self::tickets::MemoryTickets;
use super::{StoreError, StoreErrorKind};

/// A store in the memory of this process.
///
/// It implements the traits without durability: nothing survives a crash. A write that was running
/// when the process died may then run twice, so use a durable store for writes that matter. Each
/// operation is ready at once.
///
/// It is bounded by its [`MemoryLimits`], for each tenant and for all tenants: no tenant can use
/// up the space of the others. A tenant at its limit gets [`StoreErrorKind::Full`], with a text
/// for the log that names the tenant; entries are never evicted before they expire. A claim or a
/// grant first deletes expired entries. Clones share the store.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use tool_runtime::Uuid;
/// use tool_runtime::canonical::Digest;
/// use tool_runtime::store::{
///     ClaimRequest, ClaimOutcome, IdempotencyStore, ScopedKey, MemoryStore, Settlement, StoreError,
///     StoredAnswer, UnixMillis,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = MemoryStore::new();
/// let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", "order-7");
/// let arguments = Digest::compute("arguments", br#"{"seat":"12A"}"#);
/// let now = UnixMillis::new(1_000_000);
/// let request = ClaimRequest::new(key.clone(), arguments, now, Duration::from_secs(30));
///
/// let ClaimOutcome::Acquired(fence) = store.claim(request.clone()).await? else { unreachable!() };
/// let answer = StoredAnswer::succeeded(br#""booked""#.to_vec(), b"{}".to_vec());
/// let keep_until = now.after(Duration::from_secs(24 * 60 * 60));
/// let settlement = Settlement::Answered { answer: answer.clone(), keep_until };
/// assert!(store.settle(&key, fence, settlement).await?);
///
/// assert_eq!(store.claim(request).await?, ClaimOutcome::Settled(answer));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryStore {
    keys: Arc<Mutex<MemoryKeys>>,
    tickets: Arc<Mutex<MemoryTickets>>,
    grants: Arc<Mutex<MemoryGrants>>,
    outputs: Arc<Mutex<MemoryOutputs>>,
    evidence: Arc<Mutex<MemoryEvidence>>,
}

impl MemoryStore {
    /// Creates an empty store with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::bounded(MemoryLimits::new())
    }

    /// Creates an empty store with limits of your own.
    #[must_use]
    pub fn bounded(limits: MemoryLimits) -> Self {
        Self {
            keys: Arc::new(Mutex::new(MemoryKeys::new(limits))),
            tickets: Arc::new(Mutex::new(MemoryTickets::new(limits.tickets, limits.messages))),
            grants: Arc::new(Mutex::new(MemoryGrants::new(limits.grants))),
            outputs: Arc::new(Mutex::new(MemoryOutputs::new(limits.outputs))),
            evidence: Arc::new(Mutex::new(MemoryEvidence::new(
                limits.snapshots,
                limits.tenant_keys,
            ))),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

/// Locks one map. After a panic under the lock the map may be inconsistent, and stays locked.
fn locked<T>(map: &Mutex<T>) -> Result<MutexGuard<'_, T>, StoreError> {
    map.lock().map_err(|_| {
        StoreError::new(StoreErrorKind::Damaged, "an operation on the memory store panicked")
    })
}
