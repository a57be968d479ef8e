//! The users that a principal may name, and the actor types that follow from them.

use tool_contracts::ActorType;

/// The users that a principal may name in `X-User-ID` and `context.user_id`.
///
/// Idempotency keys, cached answers and approvals are separated by user. A principal may therefore
/// name only the users that the host grants it.
///
/// | principal | default | actor types, the default one first |
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
/// let gateway = Principal::new("gateway").with_users(Users::OfItsTenants);
/// assert!(gateway.may_name_user("jane") && gateway.may_name_user("joe"));
///
/// let laptop = Principal::new("laptop-of-jane").with_users(Users::Only("jane".into()));
/// assert!(laptop.may_name_user("jane") && !laptop.may_name_user("joe"));
///
/// assert!(!Principal::new("nightly-report").may_name_user("jane"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Users {
    /// No user: the principal calls for itself. A request that names a user is refused.
    #[default]
    None,
    /// Only this user: a person. A request without a user is this user's.
    Only(Box<str>),
    /// Any user of the tenants that the principal may act for: a service that authenticates its
    /// users itself. It has the rights of all of these users.
    OfItsTenants,
}

impl Users {
    /// Returns the default actor types of a principal. The first one applies to a call that names
    /// none.
    pub(super) const fn actor_types(&self) -> &'static [ActorType] {
        match self {
            Self::None => &[ActorType::System, ActorType::Agent],
            Self::Only(_) => &[ActorType::User, ActorType::Agent],
            Self::OfItsTenants => &[ActorType::System, ActorType::Agent, ActorType::User],
        }
    }

    pub(super) fn includes(&self, user: &str) -> bool {
        match self {
            Self::None => false,
            Self::Only(own) => **own == *user,
            Self::OfItsTenants => true,
        }
    }
}
