//! The key of an agent's conversation: its owner and its id.

use std::fmt;

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::principal::principal_of;

/// The owner and the id of a conversation: requests of another tenant or principal do not find it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    pub tenant: Uuid,
    pub principal: Box<str>,
    pub session: Box<str>,
}

impl SessionKey {
    /// Creates the key of a session for the tenant and the user, or else the actor, of a context.
    ///
    /// The principal is empty if the context has neither, so that all such contexts of a tenant have
    /// the same keys: keep nothing under them. The agent asks no store for such a key, and the stores of
    /// this crate keep nothing.
    #[must_use]
    pub fn new(cx: &ToolContext, session: &str) -> Self {
        let principal = principal_of(cx).unwrap_or_default();
        Self { tenant: cx.tenant_id(), principal, session: session.into() }
    }

    /// Creates the key of a session for a tenant and a principal, for tests of stores.
    #[doc(hidden)]
    #[must_use]
    pub fn scoped(tenant: Uuid, principal: &str, session: &str) -> Self {
        Self { tenant, principal: principal.into(), session: session.into() }
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
