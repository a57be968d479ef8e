//! Who a request is from.

use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::ToolSpec;
use uuid::Uuid;

use super::{Scope, Scopes};

/// Who a request is from, for whom they may act, and what they may do.
///
/// A new one may do nothing: say for which tenants it acts and which scopes it has.
///
/// # Examples
/// ```
/// use tool_runtime::http::{Principal, Scopes};
/// # use uuid::Uuid;
///
/// # let yantian = Uuid::from_u128(7);
/// let orchestrator = Principal::new("orchestrator")
///     .for_tenants([yantian])
///     .with_scopes("tools approvals".parse::<Scopes>()?);
/// assert!(orchestrator.may_act_for(yantian));
/// assert!(!orchestrator.may_act_for(Uuid::from_u128(8)));
/// # Ok::<(), tool_runtime::http::UnknownScope>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: Arc<str>,
    proven: bool,
    /// What each of their credentials grants; only what all of them grant is granted.
    grants: Vec<Arc<Grant>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Grant {
    tenants: Tenants,
    scopes: Scopes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tenants {
    Every,
    These(BTreeSet<Uuid>),
}

impl Default for Tenants {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Principal {
    /// Names who calls: a service, or a person. They may do nothing yet.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self { name: name.into().into(), proven: true, grants: vec![Arc::default()] }
    }

    /// Names who may do everything for every tenant, as in a development of one's own.
    #[must_use]
    pub fn trusted(name: impl Into<Box<str>>) -> Self {
        Self::new(name).for_every_tenant().with_scopes(Scopes::all())
    }

    /// Makes whoever has proven nothing.
    pub(super) fn anonymous(scopes: Scopes) -> Self {
        let named = Self::new("anonymous").for_every_tenant().with_scopes(scopes.of_tools_alone());
        Self { proven: false, ..named }
    }

    /// Lets them act for these tenants too.
    #[must_use]
    pub fn for_tenants(self, tenants: impl IntoIterator<Item = Uuid>) -> Self {
        self.granting(|grant| {
            if let Tenants::These(known) = &mut grant.tenants {
                known.extend(tenants);
            }
        })
    }

    /// Lets them act for whichever tenant they name.
    #[must_use]
    pub fn for_every_tenant(self) -> Self {
        self.granting(|grant| grant.tenants = Tenants::Every)
    }

    /// Sets what they may do.
    #[must_use]
    pub fn with_scopes(self, scopes: Scopes) -> Self {
        self.granting(|grant| grant.scopes = scopes)
    }

    fn granting(mut self, change: impl FnOnce(&mut Grant)) -> Self {
        if let Some(grant) = self.grants.first_mut() {
            change(Arc::make_mut(grant));
        }
        self
    }

    /// Gives the name, as it stands in records.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Tells whether nobody knows who it is.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        !self.proven
    }

    /// Tells whether they may act for this tenant.
    #[must_use]
    pub fn may_act_for(&self, tenant: Uuid) -> bool {
        self.grants.iter().all(|grant| match &grant.tenants {
            Tenants::Every => true,
            Tenants::These(known) => known.contains(&tenant),
        })
    }

    /// Tells whether they may see and call this tool: its name or category is in their scopes, it is
    /// meant for models or they may call what is not, and somebody is known where it asks for that.
    #[must_use]
    pub fn may_call(&self, tool: &ToolSpec) -> bool {
        let known_enough = self.proven || !tool.requires_auth();
        known_enough && self.grants.iter().all(|grant| grant.scopes.may_call(tool))
    }

    /// Tells whether they may do this beside calling tools.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.grants.iter().all(|grant| grant.scopes.has(scope))
    }
}
