//! The tenant of requests that need not name one, such as requests of the Model Context Protocol.

use uuid::Uuid;

use super::principal::{Principal, Tenants};

impl Principal {
    /// Returns the principal's tenant, if it has exactly one.
    pub(crate) fn only_tenant(&self) -> Option<Uuid> {
        let listed_tenants = self.grants.iter().find_map(|grant| match &grant.tenants {
            Tenants::Every => None,
            Tenants::These(tenants) => Some(tenants),
        })?;
        let mut granted = listed_tenants.iter().filter(|tenant| self.may_act_for(**tenant));
        granted.next().copied().filter(|_| granted.next().is_none())
    }
}
