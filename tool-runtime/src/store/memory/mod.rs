//! A store that forgets with its process: bounded, for tests and for calls that need no more.

#[cfg(feature = "evidence")]
mod evidence;
mod grants;
mod keys;
mod limits;
mod outputs;
mod shelf;
mod tickets;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

#[cfg(feature = "evidence")]
use self::evidence::Evidence;
use self::grants::Grants;
use self::keys::Keys;
pub use self::limits::MemoryLimits;
use self::outputs::Outputs;
use self::tickets::Tickets;
use super::{StoreError, StoreErrorKind};

/// Keeps everything in this process, and forgets it with the process.
///
/// It keeps every promise of the traits but one: nothing survives a crash. An effect that was
/// under way when the process died may then happen twice, so that writes that matter want a store
/// that is durable. Each operation is ready at once.
///
/// It is bounded by its [`MemoryLimits`], for each tenant and for all: a tenant that takes what it
/// can leaves room to every other. One that is at its bound is refused what is new, with
/// [`StoreErrorKind::Full`] and a text for the log that says whose bound it is; nothing that is
/// inside its time is dropped to make room. A claim, or a grant, first clears away what is over by
/// then. A handle: its clones share what is kept.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use tool_runtime::Uuid;
/// use tool_runtime::canonical::Digest;
/// use tool_runtime::store::{
///     ClaimRequest, Claimed, IdempotencyStore, KeyScope, Memory, Settlement, StoreError,
///     StoredAnswer, UnixMillis,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = Memory::new();
/// let key = KeyScope::new(Uuid::nil(), "user:42", "book_seat", "order-7");
/// let arguments = Digest::of("arguments", br#"{"seat":"12A"}"#);
/// let now = UnixMillis::new(1_000_000);
/// let request = ClaimRequest::new(key.clone(), arguments, now, Duration::from_secs(30));
///
/// let Claimed::First(fence) = store.claim(request.clone()).await? else { unreachable!() };
/// let answer = StoredAnswer::succeeded(br#""booked""#.to_vec(), b"{}".to_vec());
/// let keep_until = now.after(Duration::from_secs(24 * 60 * 60));
/// let settlement = Settlement::Answered { answer: answer.clone(), keep_until };
/// assert!(store.settle(&key, fence, settlement).await?);
///
/// assert_eq!(store.claim(request).await?, Claimed::Settled(answer));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Memory {
    keys: Arc<Mutex<Keys>>,
    tickets: Arc<Mutex<Tickets>>,
    grants: Arc<Mutex<Grants>>,
    outputs: Arc<Mutex<Outputs>>,
    #[cfg(feature = "evidence")]
    evidence: Arc<Mutex<Evidence>>,
}

impl Memory {
    /// Opens an empty store with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::bounded(MemoryLimits::new())
    }

    /// Opens an empty store with limits of your own.
    #[must_use]
    pub fn bounded(limits: MemoryLimits) -> Self {
        Self {
            keys: Arc::new(Mutex::new(Keys::new(limits.keys, limits.answer_room))),
            tickets: Arc::new(Mutex::new(Tickets::new(limits.tickets))),
            grants: Arc::new(Mutex::new(Grants::new(limits.grants))),
            outputs: Arc::new(Mutex::new(Outputs::new(limits.outputs))),
            #[cfg(feature = "evidence")]
            evidence: Arc::new(Mutex::new(Evidence::new(limits.snapshots, limits.tenant_keys))),
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// Locks one part. A panic while it was locked may have left it half changed, so it stays shut.
fn locked<T>(part: &Mutex<T>) -> Result<MutexGuard<'_, T>, StoreError> {
    part.lock().map_err(|_| {
        StoreError::new(StoreErrorKind::Damaged, "an operation on the memory store panicked")
    })
}
