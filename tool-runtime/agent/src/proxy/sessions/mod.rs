//! The histories of conversations.

mod memory;
mod seal;
mod sealed;

use std::fmt;

use async_trait::async_trait;

use tool_contracts::assess::ChatMessage;
use tool_runtime_core::store::StoreError;
pub use tool_runtime_core::store::session_key::SessionKey;

pub use self::memory::MemorySessions;
pub use self::sealed::SealedSessions;
#[doc(hidden)]
pub use self::sealed::{SessionBounds, SessionTable, SessionTimes};

/// The most messages that the stores of this crate keep of a session.
#[doc(hidden)]
pub const MAX_SESSION_MESSAGES: usize = 1_000;

/// Stores the histories of conversations.
///
/// A session belongs to its tenant and its principal, compared byte by byte; the agent keeps none
/// for a context without a principal. Messages stay in the order of their appends, and the messages
/// of one append stay together. A store may bound what it keeps, and then drops the oldest messages
/// of a session first; it keeps at least the newest 200. `testing::conformance::sessions` (feature
/// `testing`) checks a store of your own.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Returns the newest messages of a session, at most `limit`, oldest first; none for a new one.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    async fn load(&self, key: &SessionKey, limit: usize) -> Result<Vec<ChatMessage>, StoreError>;

    /// Appends messages to a session, all or none.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError>;
}
