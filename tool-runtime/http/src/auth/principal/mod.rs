//! The principal: the authenticated caller of a request, with its grants.

use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::{ActorType, Allowance, ToolSpec};
use tool_runtime_core::store::principal::{KEY, NETWORK, TOKEN};
use uuid::Uuid;

use super::names::{cleaned, normalized};
use super::{CredentialKind, Scope, Scopes, Users};

/// The caller of a request: its name, its tenants, its users and its scopes.
///
/// A new principal has no rights: grant it tenants, scopes and the users that it may name.
///
/// A principal's id is the kind of its credential and its name, such as `key:jane` or `token:jane`:
/// an API key does not share idempotency keys or limits with a token of the same name. The id is
/// the `actor_id` of each call in the ledger. To make a key and a token one principal, use
/// [`token_subject`](Self::token_subject).
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
    /// The kind of the credential, then the name.
    id: Arc<str>,
    /// The name in records that people read.
    display_name: Arc<str>,
    names_credential: bool,
    is_authenticated: bool,
    /// The grants of each credential; a right needs all of them.
    pub(super) grants: Arc<[Grant]>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Grant {
    pub(super) tenants: Tenants,
    scopes: Scopes,
    /// The kind of the credential; `None` for the configured principal of requests without one.
    kind: Option<CredentialKind>,
    users: Users,
    /// The actor types, if the host sets them.
    actors: Option<Arc<[ActorType]>>,
    /// The limits on what the principal's calls spend.
    allowances: Vec<Allowance>,
}

/// Grants with the same rights are equal, whatever the kind of their credential.
impl PartialEq for Grant {
    fn eq(&self, other: &Self) -> bool {
        let Self { tenants, scopes, kind: _, users, actors, allowances } = self;
        (tenants, scopes, users, actors, allowances)
            == (&other.tenants, &other.scopes, &other.users, &other.actors, &other.allowances)
    }
}

impl Eq for Grant {}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tenants {
    Every,
    These(BTreeSet<Uuid>),
}

impl Default for Tenants {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Grant {
    fn actor_types(&self) -> &[ActorType] {
        self.actors.as_deref().unwrap_or_else(|| self.users.actor_types())
    }
}

impl Principal {
    /// Creates a principal without rights, for a service or a person.
    ///
    /// The name is stored in normalization form C, trimmed and without control, bidirectional and
    /// zero-width characters. An empty name becomes `unnamed`.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        let name: Box<str> = name.into();
        let name = match &*cleaned(&name) {
            "" => Arc::from("unnamed"),
            name => Arc::from(name),
        };
        let (id, display_name) = (Arc::clone(&name), Arc::clone(&name));
        let grants = [Grant::default()].into();
        Self { name, id, display_name, names_credential: false, is_authenticated: true, grants }
    }

    /// Creates the principal of the tokens with this `sub`, so that an API key can belong to it
    /// too.
    ///
    /// The key and the tokens are then one principal: they share idempotency keys and rate limits,
    /// a request may have both, and the four-eyes check treats them as one.
    ///
    /// ```
    /// use tool_runtime::http::{ApiKey, ApiKeySet, Principal};
    ///
    /// let key = ApiKey::generate()?;
    /// let keys = ApiKeySet::new().with(key.hash(), Principal::token_subject("orchestrator"))?;
    /// # let _ = keys;
    /// # Ok::<(), tool_runtime::http::ApiKeyError>(())
    /// ```
    #[must_use]
    pub fn token_subject(sub: impl Into<Box<str>>) -> Self {
        Self::new(sub).with_kind(TOKEN)
    }

    /// Creates a principal with all rights for every tenant and user, for development or a gateway.
    #[must_use]
    pub fn trusted(name: impl Into<Box<str>>) -> Self {
        let principal = Self::new(name).for_every_tenant().with_scopes(Scopes::all());
        principal.with_users(Users::OfItsTenants)
    }

    /// Sets the kind of the credential, unless the id has one already.
    pub(crate) fn authenticated_by(self, kind: CredentialKind) -> Self {
        let principal = self.granting(|grant| grant.kind = Some(kind));
        match kind {
            _ if principal.names_credential => principal,
            CredentialKind::Key => principal.with_kind(KEY),
            CredentialKind::Token => principal.with_kind(TOKEN),
        }
    }

    /// Makes it the principal of requests without a credential, unless the id has a kind already.
    pub(crate) fn with_network_kind(self) -> Self {
        if self.names_credential {
            return self;
        }
        let display_name = Arc::clone(&self.name);
        Self { display_name, ..self.with_kind(NETWORK) }
    }

    fn with_kind(self, kind: &str) -> Self {
        let id: Arc<str> = format!("{kind}{}", self.name).into();
        Self { display_name: Arc::clone(&id), id, names_credential: true, ..self }
    }

    /// Creates the principal of anonymous callers.
    pub(super) fn anonymous(scopes: Scopes) -> Self {
        let principal = Self::new("anonymous").for_every_tenant().with_scopes(scopes.only_tools());
        Self { is_authenticated: false, ..principal }
    }

    /// Grants these tenants too.
    #[must_use]
    pub fn for_tenants(self, tenants: impl IntoIterator<Item = Uuid>) -> Self {
        self.granting(|grant| {
            if let Tenants::These(known) = &mut grant.tenants {
                known.extend(tenants);
            }
        })
    }

    /// Grants every tenant.
    #[must_use]
    pub fn for_every_tenant(self) -> Self {
        self.granting(|grant| grant.tenants = Tenants::Every)
    }

    /// Sets the scopes.
    #[must_use]
    pub fn with_scopes(self, scopes: Scopes) -> Self {
        self.granting(|grant| grant.scopes = scopes)
    }

    /// Grants decisions about calls of the tools that these scopes cover, without a right to call
    /// them: the words `approves:…` of [`Scopes`]. The scope `approvals` is required too, or `view_approvals` to list
    /// them only.
    ///
    /// Call it after [`with_scopes`](Self::with_scopes), which replaces all scopes.
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

    /// Sets the users that the principal may name; by default none.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Principal, Users};
    ///
    /// let gateway = Principal::new("gateway").with_users(Users::OfItsTenants);
    /// assert!(gateway.may_name_user("jane"));
    /// ```
    #[must_use]
    pub fn with_users(self, users: Users) -> Self {
        let users = match users {
            Users::Only(user) => match &*cleaned(&user) {
                "" => Users::None,
                user => Users::Only(user.into()),
            },
            users @ (Users::None | Users::OfItsTenants) => users,
        };
        self.granting(|grant| grant.users = users)
    }

    /// Sets the actor types that the principal may use (`X-Actor-Type`); the first is that of a
    /// call without one. An empty list changes nothing.
    ///
    /// By default they follow from the [`Users`] that the principal may name.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::contracts::ActorType;
    /// use tool_runtime::http::Principal;
    ///
    /// let chat = Principal::new("chat").acting_as([ActorType::Agent]);
    /// assert!(chat.may_act_as(ActorType::Agent) && !chat.may_act_as(ActorType::System));
    /// ```
    #[must_use]
    pub fn acting_as(self, kinds: impl IntoIterator<Item = ActorType>) -> Self {
        let kinds: Arc<[ActorType]> = kinds.into_iter().collect();
        if kinds.is_empty() {
            return self;
        }
        self.granting(|grant| grant.actors = Some(kinds))
    }

    /// Limits what the principal's calls spend; a request cannot raise it. The runtime needs `budgets::Allowances`,
    /// else it refuses the principal's writes. A call has at most eight allowances.
    ///
    /// A token limits its principal by its claim `allowances`, an array of such objects:
    /// `[{"name": "jane", "amount": "20.00 EUR", "period": "day"}]`.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::contracts::{Allowance, AllowancePeriod};
    /// use tool_runtime::http::Principal;
    ///
    /// let daily = Allowance::new("chat", "50.00 EUR")?.per(AllowancePeriod::Day);
    /// let chat = Principal::new("chat").with_allowance(daily);
    /// # let _ = chat;
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn with_allowance(self, allowance: Allowance) -> Self {
        self.granting(|grant| grant.allowances.push(allowance))
    }

    /// Returns the limits on what the principal's calls spend: those of all its credentials.
    pub(crate) fn allowances(&self) -> impl Iterator<Item = &Allowance> {
        self.grants.iter().flat_map(|grant| &grant.allowances)
    }

    fn granting(mut self, change: impl FnOnce(&mut Grant)) -> Self {
        if let Some(grant) = Arc::make_mut(&mut self.grants).first_mut() {
            change(grant);
        }
        self
    }

    /// Joins the grants of two credentials of one request, if both have the same principal.
    pub(super) fn joined_with(self, other: &Self) -> Option<Self> {
        let grants = self.grants.iter().chain(&*other.grants).cloned().collect();
        (self.id == other.id).then_some(Self { grants, ..self })
    }

    /// Returns the id: the kind of the credential, then the name.
    pub(crate) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Returns the name for records that people read.
    pub(crate) fn display_name(&self) -> &Arc<str> {
        &self.display_name
    }

    /// Returns whether the principal may name this user.
    #[must_use]
    pub fn may_name_user(&self, user: &str) -> bool {
        let user = normalized(user);
        self.grants.iter().all(|grant| grant.users.includes(&user))
    }

    /// Returns the principal's own user, if it is a person.
    pub(crate) fn own_user(&self) -> Option<&str> {
        let user = self.grants.iter().find_map(|grant| match &grant.users {
            Users::Only(own) => Some(&**own),
            Users::None | Users::OfItsTenants => None,
        });
        user.filter(|user| self.grants.iter().all(|grant| grant.users.includes(user)))
    }

    /// Returns whether the principal may name any user of its tenants.
    pub(crate) fn names_any_user(&self) -> bool {
        self.grants.iter().all(|grant| grant.users == Users::OfItsTenants)
    }

    /// Returns whether the principal may use this actor type.
    #[must_use]
    pub fn may_act_as(&self, kind: ActorType) -> bool {
        self.grants.iter().all(|grant| grant.actor_types().contains(&kind))
    }

    /// Returns the actor type of a request without one.
    pub(crate) fn default_actor_type(&self) -> ActorType {
        let kinds = self.grants.iter().flat_map(Grant::actor_types).copied();
        let mut common = kinds.filter(|kind| self.may_act_as(*kind));
        common.next().unwrap_or(ActorType::System)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the caller is not authenticated.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        !self.is_authenticated
    }

    /// Returns whether the principal may act for this tenant.
    #[must_use]
    pub fn may_act_for(&self, tenant: Uuid) -> bool {
        self.grants.iter().all(|grant| match &grant.tenants {
            Tenants::Every => true,
            Tenants::These(known) => known.contains(&tenant),
        })
    }

    /// Returns whether the principal may list and call this tool: a scope covers its name or
    /// category, it is meant for models or the scope `internal` is granted, and the caller is
    /// authenticated if the tool requires that.
    #[must_use]
    pub fn may_call(&self, tool: &ToolSpec) -> bool {
        let known_enough = self.is_authenticated || !tool.requires_auth();
        known_enough && self.grants.iter().all(|grant| grant.scopes.may_call(tool))
    }

    /// Returns whether the principal may decide about waiting calls of this tool.
    #[must_use]
    pub fn may_decide(&self, tool: &ToolSpec) -> bool {
        self.is_authenticated && self.grants.iter().all(|grant| grant.scopes.may_decide(tool))
    }

    /// Returns whether the principal may list waiting calls of a tool: so does who
    /// [may decide](Self::may_decide) about them, and who has the scope `view_approvals`.
    #[must_use]
    pub fn may_view(&self, tool: &ToolSpec) -> bool {
        self.is_authenticated && self.grants.iter().all(|grant| grant.scopes.may_view(tool))
    }

    /// Returns whether the principal may list waiting calls of a tool that is not registered.
    pub(crate) fn may_view_unknown(&self, name: &str) -> bool {
        self.is_authenticated && self.grants.iter().all(|grant| grant.scopes.may_view_unknown(name))
    }

    /// Returns whether the principal may decide about waiting calls of a tool that is not
    /// registered.
    pub(crate) fn may_decide_unknown(&self, name: &str) -> bool {
        self.is_authenticated
            && self.grants.iter().all(|grant| grant.scopes.may_decide_unknown(name))
    }

    /// Returns the kind of each credential, with the scopes that it grants.
    pub(super) fn credentials(&self) -> impl Iterator<Item = (Option<CredentialKind>, &Scopes)> {
        self.grants.iter().map(|grant| (grant.kind, &grant.scopes))
    }

    /// Returns the words of the scopes that each credential grants.
    pub(crate) fn scope_words(&self) -> Vec<Box<str>> {
        let words = |grant: &Grant| -> BTreeSet<Box<str>> {
            grant.scopes.to_string().split_ascii_whitespace().map(Into::into).collect()
        };
        let mut granted = self.grants.iter().map(words);
        let first = granted.next().unwrap_or_default();
        granted.fold(first, |all, words| &all & &words).into_iter().collect()
    }

    /// Returns whether the principal has this scope.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.may_one_of(&[scope])
    }

    /// Returns whether each of the principal's credentials grants one of these scopes.
    pub(crate) fn may_one_of(&self, scopes: &[Scope]) -> bool {
        self.grants.iter().all(|grant| scopes.iter().any(|scope| grant.scopes.has(*scope)))
    }
}

#[cfg(test)]
mod tests;
