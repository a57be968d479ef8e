//! Who a request is from.

use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::{ActorType, ToolSpec};
use uuid::Uuid;

use super::names::{cleaned, normalized};
use super::{Scope, Scopes, Users, Way};
use crate::policy::principal::{KEY, NETWORK, TOKEN};

/// The caller of a request: its name, its tenants and users, and what it may do.
///
/// A new one may do nothing: say for which tenants it acts and which scopes it has, and which users
/// it may name.
///
/// Principals are told apart by the kind of their credential and their name, such as `key:jane` and
/// `token:jane`: an API key never reaches what a token of the same name has asked for. This id is
/// the `actor_id` of each call in the ledger. Where both belong to one caller, say so by
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
    /// The name, with the kind of the credential before it.
    id: Arc<str>,
    /// How the caller is shown to people.
    shown: Arc<str>,
    is_bound: bool,
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
    users: Users,
    /// What the host says of actor types, if it does.
    actors: Option<Arc<[ActorType]>>,
}

/// Grants are equal that allow the same, by whichever kind of credential.
impl PartialEq for Grant {
    fn eq(&self, other: &Self) -> bool {
        (&self.tenants, &self.scopes, &self.users, &self.actors)
            == (&other.tenants, &other.scopes, &other.users, &other.actors)
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

impl Grant {
    fn actor_types(&self) -> &[ActorType] {
        self.actors.as_deref().unwrap_or_else(|| self.users.actor_types())
    }
}

impl Principal {
    /// Names who calls: a service, or a person. They may do nothing yet.
    ///
    /// The name stands in records, and keys of calls and answers are kept apart by it and the kind
    /// of credential. It is kept in normalization form C, without spaces around it and without
    /// control, bidirectional and zero-width characters. One without a name is called `unnamed`.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        let name: Box<str> = name.into();
        let name = match &*cleaned(&name) {
            "" => Arc::from("unnamed"),
            name => Arc::from(name),
        };
        let (id, shown) = (Arc::clone(&name), Arc::clone(&name));
        let grants = [Grant::default()].into();
        Self { name, id, shown, is_bound: false, proven: true, grants }
    }

    /// Names the caller whose tokens have this `sub`, so that it may have an API key too.
    ///
    /// The key and the tokens are then one principal: they share keys of calls and rates, a request
    /// may bring both, and four eyes takes them for one.
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
        Self::new(sub).bound_to(TOKEN)
    }

    /// Names who may do everything for every tenant and each of its users, as in a development of
    /// one's own.
    #[must_use]
    pub fn trusted(name: impl Into<Box<str>>) -> Self {
        let named = Self::new(name).for_every_tenant().with_scopes(Scopes::all());
        named.naming(Users::OfItsTenants)
    }

    /// Says that the caller was proven in this way, unless the host has said that before.
    pub(in crate::http) fn proven_by(self, way: Way) -> Self {
        let named = self.granting(|grant| grant.way = Some(way));
        match way {
            _ if named.is_bound => named,
            Way::Key => named.bound_to(KEY),
            Way::Token => named.bound_to(TOKEN),
        }
    }

    /// Says that the caller is the network itself, of which there is one a server.
    pub(in crate::http) fn of_network(self) -> Self {
        if self.is_bound {
            return self;
        }
        let shown = Arc::clone(&self.name);
        Self { shown, ..self.bound_to(NETWORK) }
    }

    fn bound_to(self, kind: &str) -> Self {
        let id: Arc<str> = format!("{kind}{}", self.name).into();
        Self { shown: Arc::clone(&id), id, is_bound: true, ..self }
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

    /// Sets which users they may name: none unless it is said.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Principal, Users};
    ///
    /// let gateway = Principal::new("gateway").naming(Users::OfItsTenants);
    /// assert!(gateway.may_name("jane"));
    /// ```
    #[must_use]
    pub fn naming(self, users: Users) -> Self {
        let users = match users {
            Users::Only(user) => match &*cleaned(&user) {
                "" => Users::None,
                user => Users::Only(user.into()),
            },
            users @ (Users::None | Users::OfItsTenants) => users,
        };
        self.granting(|grant| grant.users = users)
    }

    /// Sets as what kinds of actor they may act (`X-Actor-Type`); the first is that of a call which
    /// says none. An empty list changes nothing.
    ///
    /// Unless it is said, it follows from the [`Users`] that they may name.
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

    /// Joins what two credentials of one request grant, if they are the same caller's.
    #[cfg_attr(not(feature = "jwt"), allow(dead_code, reason = "there is one kind of credential"))]
    pub(super) fn and(self, other: &Self) -> Option<Self> {
        let grants = self.grants.iter().chain(&*other.grants).cloned().collect();
        (self.id == other.id).then_some(Self { grants, ..self })
    }

    /// Returns what the principal is counted and told apart by: its name, with the kind of its
    /// credential before it.
    pub(in crate::http) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Returns how the caller stands in records that people read.
    pub(in crate::http) fn shown(&self) -> &Arc<str> {
        &self.shown
    }

    /// Returns whether this user is one that they may name.
    #[must_use]
    pub fn may_name(&self, user: &str) -> bool {
        let user = normalized(user);
        self.grants.iter().all(|grant| grant.users.may_name(&user))
    }

    /// Returns the one user that they are, if they are a person.
    pub(in crate::http) fn own_user(&self) -> Option<&str> {
        let own = self.grants.iter().find_map(|grant| match &grant.users {
            Users::Only(own) => Some(&**own),
            Users::None | Users::OfItsTenants => None,
        });
        own.filter(|own| self.grants.iter().all(|grant| grant.users.may_name(own)))
    }

    /// Returns whether they are trusted to name any user of their tenants.
    pub(in crate::http) fn names_any_user(&self) -> bool {
        self.grants.iter().all(|grant| grant.users == Users::OfItsTenants)
    }

    /// Returns whether they may act as this kind of actor.
    #[must_use]
    pub fn may_act_as(&self, kind: ActorType) -> bool {
        self.grants.iter().all(|grant| grant.actor_types().contains(&kind))
    }

    /// Returns as what kind of actor they act where a request says none.
    pub(in crate::http) fn usual_actor(&self) -> ActorType {
        let kinds = self.grants.iter().flat_map(Grant::actor_types).copied();
        let mut common = kinds.filter(|kind| self.may_act_as(*kind));
        common.next().unwrap_or(ActorType::System)
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

    /// Returns the words of the scopes that each credential grants.
    pub(in crate::http) fn scope_words(&self) -> Vec<Box<str>> {
        let words = |grant: &Grant| -> BTreeSet<Box<str>> {
            grant.scopes.to_string().split_ascii_whitespace().map(Into::into).collect()
        };
        let mut granted = self.grants.iter().map(words);
        let first = granted.next().unwrap_or_default();
        granted.fold(first, |all, words| &all & &words).into_iter().collect()
    }

    /// Tells whether they may do this beside calling tools.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.grants.iter().all(|grant| grant.scopes.has(scope))
    }
}

#[cfg(test)]
mod tests {
    use tool_contracts::{ActorType, Effect, ToolSpec};
    use uuid::Uuid;

    use super::{Principal, Way};
    use crate::http::{Scope, Scopes, Users};

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
        assert!(both.scope_words().is_empty(), "they grant different words");
        assert_eq!(one.scope_words(), ["tools".into(), "traces".into()]);
        assert_eq!(one.and(&Principal::trusted("somebody else")), None);
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
        let (key, token) = (Principal::new("jane").proven_by(Way::Key), || {
            Principal::new("jane").proven_by(Way::Token)
        });
        assert_eq!((&**key.id(), &**token().id()), ("key:jane", "token:jane"));
        assert_eq!(key.and(&token()), None);
        let mapped = Principal::token_subject("jane").proven_by(Way::Key);
        assert_eq!(&**mapped.id(), "token:jane");
        assert!(mapped.and(&token()).is_some());
    }

    #[test]
    fn a_principal_names_the_users_that_it_is_trusted_with() {
        let person = Principal::new("jane").naming(Users::Only("jose\u{301}".into()));
        assert!(person.may_name("jos\u{e9}") && person.may_name("jose\u{301}"));
        assert!(!person.may_name("boss") && !person.names_any_user());
        assert_eq!(person.own_user(), Some("jos\u{e9}"));
        let service = Principal::trusted("jane");
        assert!(service.may_name("boss") && service.names_any_user());
        assert_eq!(service.own_user(), None);
        let both = service.and(&person).expect("they are the same caller's");
        assert!(both.may_name("jos\u{e9}") && !both.may_name("boss") && !both.names_any_user());
        assert_eq!(both.own_user(), Some("jos\u{e9}"));
        let neither = person.and(&Principal::new("jane")).expect("they are the same caller's");
        assert_eq!((neither.may_name("jos\u{e9}"), neither.own_user()), (false, None));
    }

    #[test]
    fn the_kind_of_actor_follows_from_the_users_or_from_the_host() {
        use ActorType::{Agent, System, User};
        let usual = |principal: &Principal| {
            let may = [User, Agent, System].map(|kind| principal.may_act_as(kind));
            (principal.usual_actor(), may)
        };
        assert_eq!(usual(&Principal::new("a")), (System, [false, true, true]));
        assert_eq!(usual(&Principal::trusted("a")), (System, [true, true, true]));
        let person = Principal::new("a").naming(Users::Only("a".into()));
        assert_eq!(usual(&person), (User, [true, true, false]));
        let chat = Principal::new("a").acting_as([Agent]).acting_as([]);
        assert_eq!(usual(&chat), (Agent, [false, true, false]));
        let both = person.and(&Principal::new("a")).expect("they are the same caller's");
        assert_eq!(usual(&both), (Agent, [false, true, false]));
    }
}
