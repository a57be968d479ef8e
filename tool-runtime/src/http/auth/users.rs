//! Which users a principal may name, and as what kind of actor it may act.

use tool_contracts::ActorType;

/// Says which users a principal may name in `X-User-ID` and `context.user_id`.
///
/// A user's things are kept apart by this name: keys of repeated calls, fresh answers, approvals.
/// So a name is taken from a principal only as far as the host says that it may be believed.
///
/// | principal | users, unless the host says otherwise | actor types, the usual one first |
/// | --- | --- | --- |
/// | [`Principal::new`](super::Principal::new), as for an API key | `None` | `system`, `agent` |
/// | the token of a person | `Only` its `sub` | `user`, `agent` |
/// | the token of a service (`TokenSubject::Service`) | `None` | `system`, `agent` |
/// | the token of a trusted service (`TokenSubject::TrustedService`) | `OfItsTenants` | `system`, `agent`, `user` |
/// | [`Principal::trusted`](super::Principal::trusted) | `OfItsTenants` | `system`, `agent`, `user` |
///
/// # Examples
/// ```
/// use tool_runtime::http::{Principal, Users};
///
/// let gateway = Principal::new("gateway").naming(Users::OfItsTenants);
/// assert!(gateway.may_name("jane") && gateway.may_name("joe"));
///
/// let laptop = Principal::new("laptop-of-jane").naming(Users::Only("jane".into()));
/// assert!(laptop.may_name("jane") && !laptop.may_name("joe"));
///
/// assert!(!Principal::new("nightly-report").may_name("jane"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Users {
    /// No user: the principal calls for itself. A request that names a user is refused.
    #[default]
    None,
    /// This user alone: a person. A request that names no user is this user's.
    Only(Box<str>),
    /// Any user of the tenants that the principal may act for: a service that has proven by itself
    /// which of them it speaks for. It is trusted like all of these users together.
    OfItsTenants,
}

impl Users {
    /// Returns the actor types that a principal may act as, where the host says nothing of them.
    /// The first is that of a call which says none.
    pub(super) const fn actor_types(&self) -> &'static [ActorType] {
        match self {
            Self::None => &[ActorType::System, ActorType::Agent],
            Self::Only(_) => &[ActorType::User, ActorType::Agent],
            Self::OfItsTenants => &[ActorType::System, ActorType::Agent, ActorType::User],
        }
    }

    pub(super) fn may_name(&self, user: &str) -> bool {
        match self {
            Self::None => false,
            Self::Only(own) => **own == *user,
            Self::OfItsTenants => true,
        }
    }
}
