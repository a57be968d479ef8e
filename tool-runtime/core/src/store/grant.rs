//! Stores standing grants.

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{StoreError, UnixMillis};

/// Stores standing grants: approvals for all future calls in their scope.
///
/// `testing::conformance::grants` tests a backend.
#[async_trait]
pub trait GrantStore: Send + Sync + 'static {
    /// Stores a grant, and replaces one of the same scope.
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError>;

    /// Finds the grant of exactly this scope, even if it has expired.
    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError>;

    /// Revokes a grant; false if there was none.
    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError>;

    /// Lists the grants of a tenant, including expired ones, at most `limit`, in a stable order,
    /// from the first after `after`, which may have been revoked.
    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError>;
}

/// The scope of a grant. It contains the tool's schema, so that a changed schema ends the grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantScope {
    /// The tenant.
    pub tenant: Uuid,
    /// The principal of the calls, such as `user:42`.
    pub principal: Box<str>,
    /// The tool's name.
    pub tool: Box<str>,
    /// The hash of the tool's schema.
    pub schema: Digest,
    /// The hash of the arguments, if the grant is for these only.
    pub arguments: Option<Digest>,
}

impl GrantScope {
    /// Creates a scope of a tool, with any arguments.
    pub fn new(
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        tool: impl Into<Box<str>>,
        schema: Digest,
    ) -> Self {
        Self { tenant, principal: principal.into(), tool: tool.into(), schema, arguments: None }
    }

    /// Narrows the scope to calls with these arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Digest) -> Self {
        self.arguments = Some(arguments);
        self
    }
}

/// A person's approval of all future calls in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingGrant {
    /// The calls that it approves.
    pub scope: GrantScope,
    /// The approver's name.
    pub granted_by: Box<str>,
    /// The time at which it was given.
    pub granted_at: UnixMillis,
    /// The time of expiry, if it has one.
    pub expires_at: Option<UnixMillis>,
}

impl StandingGrant {
    /// Creates a grant without an expiry.
    pub fn new(scope: GrantScope, granted_by: impl Into<Box<str>>, granted_at: UnixMillis) -> Self {
        Self { scope, granted_by: granted_by.into(), granted_at, expires_at: None }
    }

    /// Sets the time of expiry.
    #[must_use]
    pub fn until(mut self, end: UnixMillis) -> Self {
        self.expires_at = Some(end);
        self
    }
}
