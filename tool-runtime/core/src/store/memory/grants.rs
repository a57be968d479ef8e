//! Standing grants in memory.

use std::ops::Bound;

use async_trait::async_trait;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::{GrantScope, GrantStore, StandingGrant, StoreError};

#[async_trait]
impl GrantStore for MemoryStore {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError> {
        locked(&self.grants)?.put(grant)
    }

    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError> {
        Ok(locked(&self.grants)?.0.get(scope).cloned())
    }

    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        Ok(locked(&self.grants)?.0.remove(scope).is_some())
    }

    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        Ok(locked(&self.grants)?.list(tenant, after, limit))
    }
}

pub(super) struct MemoryGrants(QuotaMap<GrantScope, StandingGrant>);

impl MemoryGrants {
    pub(super) fn new(quota: StoreQuota) -> Self {
        Self(QuotaMap::new(quota))
    }

    /// Stores a grant. Its time is also the current time by which expired grants are deleted.
    fn put(&mut self, grant: StandingGrant) -> Result<(), StoreError> {
        let GrantScope { tenant, principal, tool, .. } = &grant.scope;
        let (tenant, bytes) = (*tenant, principal.len() + tool.len() + grant.granted_by.len());
        let (now, scope, expires_at) = (grant.granted_at, grant.scope.clone(), grant.expires_at);
        self.0.put_after_sweep(now, scope, QuotaEntry { tenant, value: grant, bytes, expires_at })
    }

    fn list(&self, tenant: Uuid, after: Option<&GrantScope>, limit: usize) -> Vec<StandingGrant> {
        let after = match after {
            Some(last) => Bound::Excluded(last.clone()),
            None => Bound::Included(GrantScope::new(tenant, "", "", Digest::from_bytes([0; 32]))),
        };
        let grants = self.0.from(after).take_while(|grant| grant.scope.tenant == tenant);
        grants.take(limit).cloned().collect()
    }
}
