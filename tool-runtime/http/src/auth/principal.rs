//! The principal: the authenticated caller of a request, with its grants.

use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::{ActorType, ToolSpec};
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
}

/// Grants with the same rights are equal, whatever the kind of their credential.
impl PartialEq for Grant {
    fn eq(&self, other: &Self) -> bool {
        (&self.tenants, &self.scopes, &self.users, &self.actors)
            == (&other.tenants, &other.scopes, &other.users, &other.actors)
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
    /// them: the words `approves:…` of [`Scopes`]. The scope `approvals` is required too.
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
        self.grants.iter().all(|grant| grant.scopes.has(scope))
    }
}

#[cfg(test)]
mod tests {
    use tool_contracts::{ActorType, Effect, ToolSpec};
    use uuid::Uuid;

    use super::{CredentialKind, Principal};
    use crate::auth::Scope;
    use crate::auth::Scopes;
    use crate::auth::Users;

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
    fn an_anonymous_caller_cannot_call_a_tool_that_requires_auth() {
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
        let both = one.clone().joined_with(&two).expect("they are the same caller's");
        assert!(both.may_act_for(YANTIAN) && !both.may_act_for(OTHER));
        assert!(both.may_call(&tool(true)));
        assert!(!both.may(Scope::Traces) && !both.may(Scope::Replay));
        assert!(both.scope_words().is_empty(), "they grant different words");
        assert_eq!(one.scope_words(), ["tools".into(), "traces".into()]);
        assert_eq!(one.joined_with(&Principal::trusted("somebody else")), None);
    }

    #[test]
    fn a_principal_without_a_name_gets_one() {
        assert_eq!(Principal::new(" ").name(), "unnamed");
        assert_eq!(Principal::new("\u{200b}").name(), "unnamed");
    }

    #[test]
    fn a_name_is_kept_as_it_is_seen() {
        assert_eq!(Principal::new("de\u{200b}sk ").name(), "desk");
        assert_eq!(Principal::new("jose\u{301}").name(), "jos\u{e9}");
    }

    #[test]
    fn a_key_and_a_token_of_one_name_are_two_principals_unless_the_host_says_otherwise() {
        let (key, token) = (Principal::new("jane").authenticated_by(CredentialKind::Key), || {
            Principal::new("jane").authenticated_by(CredentialKind::Token)
        });
        assert_eq!((&**key.id(), &**token().id()), ("key:jane", "token:jane"));
        assert_eq!(key.joined_with(&token()), None);
        let mapped = Principal::token_subject("jane").authenticated_by(CredentialKind::Key);
        assert_eq!(&**mapped.id(), "token:jane");
        assert!(mapped.joined_with(&token()).is_some());
    }

    #[test]
    fn a_principal_names_the_users_that_it_is_trusted_with() {
        let person = Principal::new("jane").with_users(Users::Only("jose\u{301}".into()));
        assert!(person.may_name_user("jos\u{e9}") && person.may_name_user("jose\u{301}"));
        assert!(!person.may_name_user("boss") && !person.names_any_user());
        assert_eq!(person.own_user(), Some("jos\u{e9}"));
        let service = Principal::trusted("jane");
        assert!(service.may_name_user("boss") && service.names_any_user());
        assert_eq!(service.own_user(), None);
        let both = service.joined_with(&person).expect("they are the same caller's");
        assert!(
            both.may_name_user("jos\u{e9}")
                && !both.may_name_user("boss")
                && !both.names_any_user()
        );
        assert_eq!(both.own_user(), Some("jos\u{e9}"));
        let neither =
            person.joined_with(&Principal::new("jane")).expect("they are the same caller's");
        assert_eq!((neither.may_name_user("jos\u{e9}"), neither.own_user()), (false, None));
    }

    #[test]
    fn the_kind_of_actor_follows_from_the_users_or_from_the_host() {
        use ActorType::{Agent, System, User};
        let usual = |principal: &Principal| {
            let may = [User, Agent, System].map(|kind| principal.may_act_as(kind));
            (principal.default_actor_type(), may)
        };
        assert_eq!(usual(&Principal::new("a")), (System, [false, true, true]));
        assert_eq!(usual(&Principal::trusted("a")), (System, [true, true, true]));
        let person = Principal::new("a").with_users(Users::Only("a".into()));
        assert_eq!(usual(&person), (User, [true, true, false]));
        let chat = Principal::new("a").acting_as([Agent]).acting_as([]);
        assert_eq!(usual(&chat), (Agent, [false, true, false]));
        let both = person.joined_with(&Principal::new("a")).expect("they are the same caller's");
        assert_eq!(usual(&both), (Agent, [false, true, false]));
    }
}
