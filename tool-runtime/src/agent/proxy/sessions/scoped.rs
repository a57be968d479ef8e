//! Keys of sessions for tests, which name principals.

use uuid::Uuid;

use super::SessionKey;

impl SessionKey {
    /// Creates the key of a session for a tenant and a principal.
    pub(crate) fn scoped(tenant: Uuid, principal: &str, session: &str) -> Self {
        Self { tenant, principal: principal.into(), session: session.into() }
    }
}
