//! The histories of conversations.

mod memory;
#[cfg(any(feature = "testing", all(test, feature = "sqlite-unbundled")))]
mod scoped;
#[cfg(feature = "sqlite-unbundled")]
mod seal;
#[cfg(feature = "sqlite-unbundled")]
mod sqlite;

use std::fmt;

use async_trait::async_trait;
use uuid::Uuid;

pub use self::memory::MemorySessions;
#[cfg(feature = "sqlite-unbundled")]
pub use self::sqlite::SqliteSessions;
use crate::contracts::ToolContext;
use crate::contracts::assess::ChatMessage;
use crate::policy::principal::principal_of;
use crate::store::StoreError;

/// The most messages that the stores of this crate keep of a session.
const MOST_MESSAGES: usize = 1_000;

/// The owner and the id of a conversation: requests of another tenant or principal do not find it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    tenant: Uuid,
    principal: Box<str>,
    session: Box<str>,
}

impl SessionKey {
    /// Creates the key of a session for the tenant and the user, or else the actor, of a context.
    #[must_use]
    pub fn new(cx: &ToolContext, session: &str) -> Self {
        let principal = principal_of(cx).unwrap_or_default();
        Self { tenant: cx.tenant_id(), principal, session: session.into() }
    }

    /// Returns the tenant.
    #[must_use]
    pub const fn tenant(&self) -> Uuid {
        self.tenant
    }

    /// Returns the principal as text; empty if the context has neither a user nor an actor.
    #[must_use]
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// Returns the session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }
}

/// Shows the tenant only.
impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionKey").field("tenant", &self.tenant).finish_non_exhaustive()
    }
}

/// Stores the histories of conversations.
///
/// A session belongs to its tenant and its principal, compared byte by byte. Messages stay in the order
/// of their appends, and those of one append stay together. A store may bound what it keeps, and then
/// drops the oldest messages of a session first; it keeps at least the newest 200. `testing::conformance::sessions`
/// (feature `testing`) checks a store of your own.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Returns the newest messages of a session, at most `most`, oldest first; none for a new one.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    async fn load(&self, key: &SessionKey, most: usize) -> Result<Vec<ChatMessage>, StoreError>;

    /// Appends messages to a session, all or none.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError>;
}
