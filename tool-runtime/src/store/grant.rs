//! What a person has allowed once and for all.

use async_trait::async_trait;
use uuid::Uuid;

use super::{StoreError, UnixMillis};
use crate::canonical::Digest;

/// Keeps standing grants: what need not be asked again.
///
/// `testing::conformance::grants` tests a backend.
#[async_trait]
pub trait GrantStore: Send + Sync + 'static {
    /// Keeps a grant, in place of one of the same scope.
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError>;

    /// Finds the grant of exactly this scope, also one that has expired.
    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError>;

    /// Takes a grant back; false if there was none.
    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError>;

    /// Lists the grants of a tenant, also expired ones, at most `most`, in an order that does not
    /// change, from the first after `after`, which need not be kept any more.
    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        most: usize,
    ) -> Result<Vec<StandingGrant>, StoreError>;
}

/// What a grant is for. A tool whose schema changes has another scope, so that its grants lapse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct GrantScope {
    /// The tenant.
    pub tenant: Uuid,
    /// For whom calls are made, such as `user:42`.
    pub principal: Box<str>,
    /// The tool's name.
    pub tool: Box<str>,
    /// The hash of the tool's schema.
    pub schema: Digest,
    /// The hash of the arguments, if it is for these alone.
    pub arguments: Option<Digest>,
}

impl GrantScope {
    /// Names a tool, whatever its arguments.
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

/// What a person has allowed once and for all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StandingGrant {
    /// What for.
    pub scope: GrantScope,
    /// Who gave it.
    pub granted_by: Box<str>,
    /// When it was given.
    pub granted_at: UnixMillis,
    /// When it ends, if it does.
    pub expires_at: Option<UnixMillis>,
}

impl StandingGrant {
    /// Makes a grant without an end.
    pub fn new(scope: GrantScope, granted_by: impl Into<Box<str>>, granted_at: UnixMillis) -> Self {
        Self { scope, granted_by: granted_by.into(), granted_at, expires_at: None }
    }

    /// Sets when it ends.
    #[must_use]
    pub fn until(mut self, end: UnixMillis) -> Self {
        self.expires_at = Some(end);
        self
    }
}
