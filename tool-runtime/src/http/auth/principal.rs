//! Who a request is from.

use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::ToolSpec;
use uuid::Uuid;

use super::{Scope, Scopes, Way};

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
///     .with_scopes("tools traces".parse::<Scopes>()?);
/// assert!(orchestrator.may_act_for(yantian));
/// assert!(!orchestrator.may_act_for(Uuid::from_u128(8)));
/// # Ok::<(), tool_runtime::http::UnknownScope>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    name: Arc<str>,
    proven: bool,
    /// What each of their credentials grants; only what all of them grant is granted.
    grants: Arc<[Grant]>,
}

#[derive(Debug, Clone, Default)]
struct Grant {
    tenants: Tenants,
    scopes: Scopes,
    /// The kind of credential; none of a principal that the host's configuration names.
    way: Option<Way>,
}

/// Grants are equal that allow the same, by whichever kind of credential.
impl PartialEq for Grant {
    fn eq(&self, other: &Self) -> bool {
        (&self.tenants, &self.scopes) == (&other.tenants, &other.scopes)
    }
}

impl Eq for Grant {}

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
    ///
    /// The name stands in records, and is what keys of calls and answers are kept apart by, whatever
    /// the principal was proven with. One without a name is called `unnamed`.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        let name = Some(name.into()).filter(|name| !name.trim().is_empty());
        let name = name.map_or_else(|| "unnamed".into(), Arc::from);
        Self { name, proven: true, grants: [Grant::default()].into() }
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

    /// Lets them decide about calls of the tools that these scopes cover, which they need not be
    /// allowed to call: the words `approves:…` of [`Scopes`]. It takes the scope `approvals` too.
    ///
    /// Call it after [`with_scopes`](Self::with_scopes), which sets all of a principal's scopes.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Principal, Scopes};
    ///
    /// let cashier = Principal::new("cashier")
    ///     .with_scopes("approvals".parse::<Scopes>()?)
    ///     .approving("tools:refund".parse::<Scopes>()?);
    /// # let _ = cashier;
    /// # Ok::<(), tool_runtime::http::UnknownScope>(())
    /// ```
    #[must_use]
    pub fn approving(self, tools: Scopes) -> Self {
        self.granting(|grant| grant.scopes = std::mem::take(&mut grant.scopes).approving(tools))
    }

    /// Notes by which kind of credential this was proven.
    pub(super) fn proven_by(self, way: Way) -> Self {
        self.granting(|grant| grant.way = Some(way))
    }

    fn granting(mut self, change: impl FnOnce(&mut Grant)) -> Self {
        if let Some(grant) = Arc::make_mut(&mut self.grants).first_mut() {
            change(grant);
        }
        self
    }

    /// Joins what two credentials of one request grant, if they are the same caller's.
    #[cfg_attr(not(feature = "jwt"), allow(dead_code, reason = "there is one kind of credential"))]
    pub(super) fn and(self, other: &Self) -> Option<Self> {
        let grants = self.grants.iter().chain(&*other.grants).cloned().collect();
        (self.name == other.name).then_some(Self { grants, ..self })
    }

    /// Gives the name to count by.
    pub(in crate::http) fn key(&self) -> Arc<str> {
        Arc::clone(&self.name)
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

    /// Tells whether they may decide about calls of this tool that wait for approval.
    #[must_use]
    pub fn may_decide(&self, tool: &ToolSpec) -> bool {
        self.proven && self.grants.iter().all(|grant| grant.scopes.may_decide(tool))
    }

    /// Tells the same of a tool that this runtime does not have.
    pub(in crate::http) fn may_decide_unknown(&self, name: &str) -> bool {
        self.proven && self.grants.iter().all(|grant| grant.scopes.may_decide_unknown(name))
    }

    /// Gives the kind of each credential, with the scopes that it grants.
    pub(super) fn proofs(&self) -> impl Iterator<Item = (Option<Way>, &Scopes)> {
        self.grants.iter().map(|grant| (grant.way, &grant.scopes))
    }

    /// Tells whether they may do this beside calling tools.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.grants.iter().all(|grant| grant.scopes.has(scope))
    }
}

#[cfg(test)]
mod tests {
    use tool_contracts::{Effect, ToolSpec};
    use uuid::Uuid;

    use super::Principal;
    use crate::http::{Scope, Scopes};

    const YANTIAN: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    fn tool(requires_auth: bool) -> ToolSpec {
        let spec = ToolSpec::builder("read", Effect::Read).description("Reads.");
        spec.requires_auth(requires_auth).build().expect("it is a tool")
    }

    #[test]
    fn a_new_principal_may_do_nothing() {
        let principal = Principal::new("orchestrator");
        assert!(!principal.may_act_for(YANTIAN));
        assert!(!principal.may_call(&tool(false)));
        assert!(!principal.may(Scope::Traces));
        assert!(!principal.is_anonymous());
    }

    #[test]
    fn nobody_unknown_reaches_a_tool_that_asks_who_calls() {
        let stranger = Principal::anonymous(Scopes::all());
        assert!(stranger.is_anonymous() && stranger.may_act_for(YANTIAN));
        assert!(stranger.may_call(&tool(false)));
        assert!(!stranger.may_call(&tool(true)));
        assert!(!stranger.may(Scope::Approvals));
        assert!(Principal::trusted("laptop").may_call(&tool(true)));
    }

    #[test]
    fn two_credentials_grant_what_both_grant() {
        let named = || Principal::new("orchestrator");
        let scopes = |text: &str| text.parse::<Scopes>().expect("these are scopes");
        let one = named().for_tenants([YANTIAN, OTHER]).with_scopes(scopes("tools traces"));
        let two = named().for_tenants([YANTIAN]).with_scopes(scopes("tools:read replay"));
        let both = one.clone().and(&two).expect("they are the same caller's");
        assert!(both.may_act_for(YANTIAN) && !both.may_act_for(OTHER));
        assert!(both.may_call(&tool(true)));
        assert!(!both.may(Scope::Traces) && !both.may(Scope::Replay));
        assert_eq!(one.and(&Principal::trusted("somebody else")), None);
    }

    #[test]
    fn a_principal_without_a_name_gets_one() {
        assert_eq!(Principal::new(" ").name(), "unnamed");
    }
}
