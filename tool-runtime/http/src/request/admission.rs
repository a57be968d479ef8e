//! Admits requests: extractors whose values prove to a handler that its request was admitted.
//!
//! Only the extractors make these values, and a row of the table of endpoints takes no handler
//! without one, so a handler that forgets admission does not compile.

use std::future::{Future, ready};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tool_contracts::{ErrorCode, ToolContext};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::evidence::Access;
use uuid::Uuid;

use super::access_records::recorded_name;
use super::context::{self, RequestHead};
use super::parameters::{Params, params_of};
use crate::auth::{Principal, Scope};
use crate::problem::Problem;
use crate::response::{ReportFacts, RequestFacts};
use crate::state::app::{App, SharedApp};
use crate::state::caller::Caller;
use crate::state::config::ContextDefaults;

/// An extractor that proves the admission of its request.
pub(crate) trait AdmissionProof {}

/// Proof that a request was admitted: the server is not draining, the host name, the credential and
/// the limits of the caller admit it.
///
/// Made before the body is read, so that a refusal costs the server little.
#[derive(Debug, Clone)]
pub(crate) struct Admitted {
    principal: Principal,
    caller: Caller,
}

/// Proof that a request was admitted whose caller has the scope `S`, and acts for one tenant.
#[derive(Debug)]
pub(crate) struct Authorized<S> {
    caller: AuthorizedCaller,
    scope: PhantomData<fn() -> S>,
}

/// An authenticated caller with the scope of an endpoint, acting for one tenant.
#[derive(Debug)]
pub(crate) struct AuthorizedCaller {
    cx: ToolContext,
    principal: Principal,
    caller: Caller,
}

/// The scope that an endpoint requires, as a type in the signature of its handler.
pub(crate) trait RequiredScope: Sized + Send + 'static {
    /// The scope.
    const SCOPE: Scope;

    /// A smaller scope that is enough.
    const SUFFICIENT: Option<Scope> = None;

    /// Returns whether a principal has one of the scopes.
    fn is_granted(principal: &Principal) -> bool {
        let scopes = [Some(Self::SCOPE), Self::SUFFICIENT];
        principal.may_one_of(&scopes.into_iter().flatten().collect::<Vec<_>>())
    }

    /// Records that an authenticated caller was forbidden; by default no record is left.
    fn record_forbidden(_: &Forbidden<'_>) -> impl Future<Output = ()> + Send {
        ready(())
    }
}

/// A request of an authenticated caller that an endpoint does not serve.
#[derive(Debug)]
pub(crate) struct Forbidden<'r> {
    pub(crate) app: &'r App,
    pub(crate) parts: &'r Parts,
    pub(crate) params: &'r Params,
    pub(crate) principal: &'r Principal,
    pub(crate) caller: &'r Caller,
    pub(crate) cause: ForbiddenCause,
}

/// The cause of the refusal of an authenticated caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForbiddenCause {
    MissingScope,
    /// The caller may not act for the tenant of the request.
    ForeignTenant,
    /// The problem that answers the request has this reason.
    Refused(RefusalReason),
}

impl AdmissionProof for Admitted {}

impl<S> AdmissionProof for Authorized<S> {}

impl FromRequestParts<SharedApp> for Admitted {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &SharedApp) -> Result<Self, Problem> {
        if app.config.drain.has_begun() {
            return Err(Problem::draining());
        }
        let (principal, caller) = authenticate(app, parts).await?;
        app.unread.admit(&caller)?;
        Ok(Self { principal, caller })
    }
}

impl<S: RequiredScope> FromRequestParts<SharedApp> for Authorized<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &SharedApp) -> Result<Self, Problem> {
        let admitted = Admitted::from_request_parts(parts, app).await?;
        let defaults = &app.config.context_defaults;
        let authorization = AuthorizedCaller::from_admitted::<S>(admitted, parts, defaults);
        let refused_caller = match authorization {
            Ok(caller) => return Ok(Self { caller, scope: PhantomData }),
            Err(refused_caller) => *refused_caller,
        };
        let RefusedCaller { admitted: Admitted { principal, caller }, problem } = refused_caller;
        if problem.code != ErrorCode::Forbidden {
            return Err(problem);
        }
        let params = params_of(parts).await;
        let cause = ForbiddenCause::from_problem(S::is_granted(&principal), &problem);
        let (principal, caller) = (&principal, &caller);
        let forbidden = Forbidden { app, parts, params: &params, principal, caller, cause };
        S::record_forbidden(&forbidden).await;
        Err(problem)
    }
}

impl ReportFacts for Admitted {}

impl<S> ReportFacts for Authorized<S> {
    fn report(&self, facts: &mut RequestFacts) {
        facts.trace_id = Some(self.caller.cx.trace_id().into());
    }
}

/// An admitted caller that an endpoint refuses.
struct RefusedCaller {
    admitted: Admitted,
    problem: Problem,
}

impl Admitted {
    /// Admits the messages of a program that has started this one.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only a server on streams has one"))]
    pub(crate) fn for_program(principal: Principal) -> Self {
        let caller = Caller::Principal(Arc::clone(principal.id()));
        Self { principal, caller }
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the caller that limits count.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl<S> Authorized<S> {
    /// Returns the caller, for an answer that goes on after its handler.
    pub(crate) fn into_caller(self) -> AuthorizedCaller {
        self.caller
    }
}

impl<S> Deref for Authorized<S> {
    type Target = AuthorizedCaller;

    fn deref(&self) -> &AuthorizedCaller {
        &self.caller
    }
}

impl AuthorizedCaller {
    /// Requires a scope of an admitted caller, and makes its context.
    fn from_admitted<S: RequiredScope>(
        admitted: Admitted,
        parts: &Parts,
        defaults: &ContextDefaults,
    ) -> Result<Self, Box<RefusedCaller>> {
        let context = || {
            if !S::is_granted(&admitted.principal) {
                return Err(missing_scope::<S>(&admitted.principal));
            }
            let head = RequestHead::from_parts(parts);
            context::context(&head, None, &admitted.principal, defaults)
        };
        match context() {
            Ok(cx) => {
                let Admitted { principal, caller } = admitted;
                Ok(Self { cx, principal, caller })
            }
            Err(problem) => Err(Box::new(RefusedCaller { admitted, problem })),
        }
    }

    pub(crate) fn cx(&self) -> &ToolContext {
        &self.cx
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the caller that limits count.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the tenant.
    pub(crate) fn tenant(&self) -> Uuid {
        self.cx.tenant_id()
    }

    /// States this caller and its scopes for an access to evidence of its tenant.
    pub(crate) fn access(&self, reason: impl Into<Box<str>>) -> Result<Access, Problem> {
        let access = Access::new(self.name(), reason).map_err(|_| Problem::internal())?;
        let access = access
            .with_principal(&**self.principal.id())
            .with_tenant(self.tenant())
            .with_scopes(self.principal.scope_words());
        Ok(match self.cx.user_id() {
            Some(user) => access.with_user(user),
            None => access,
        })
    }

    /// Returns the name for records: the user, and the principal that named it.
    pub(crate) fn name(&self) -> String {
        recorded_name(self.cx.user_id(), self.principal.display_name())
    }
}

impl Forbidden<'_> {
    /// Returns the context of the request, if its caller may act in it.
    pub(crate) fn context(&self) -> Option<ToolContext> {
        let defaults = &self.app.config.context_defaults;
        context::context(&RequestHead::from_parts(self.parts), None, self.principal, defaults).ok()
    }
}

/// Checks the host name of a request, authenticates it and counts it. The caller is in the extensions
/// from then on, also if the request is refused.
pub(crate) async fn authenticate(
    app: &App,
    parts: &mut Parts,
) -> Result<(Principal, Caller), Problem> {
    app.config.hosts.admit(&app.config.auth, parts)?;
    let principal = app.rates.authenticate(&app.config.auth, parts).await?;
    let caller = Caller::new(parts, &principal);
    parts.extensions.insert(caller.clone());
    app.rates.request(parts, &principal)?;
    Ok((principal, caller))
}

impl ForbiddenCause {
    fn from_problem(has_scope: bool, problem: &Problem) -> Self {
        if !has_scope {
            return Self::MissingScope;
        }
        problem.reason().map_or(Self::ForeignTenant, Self::Refused)
    }

    /// Returns the word of the audit record.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::MissingScope => "missing_scope",
            Self::ForeignTenant => "foreign_tenant",
            Self::Refused(reason) => reason.as_str(),
        }
    }
}

fn missing_scope<S: RequiredScope>(principal: &Principal) -> Problem {
    if principal.is_anonymous() {
        let message = "this path requires authentication; send an API key or a token";
        return Problem::unauthorized(message);
    }
    let sufficient = S::SUFFICIENT.map(|scope| format!("`{}` or ", scope.as_str()));
    let scopes = format!("{}`{}`", sufficient.unwrap_or_default(), S::SCOPE.as_str());
    Problem::forbidden(format!("this path requires the scope {scopes}"))
        .with_reason(RefusalReason::Scope)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use tool_runtime_core::refusal_reason::RefusalReason;
    use uuid::Uuid;

    use super::{ContextDefaults, ForbiddenCause, RequestHead, context};
    use crate::auth::{Principal, Scope, Scopes, Users};

    /// The word of the audit record for a request of this user and tenant.
    fn word(principal: &Principal, tenant: Uuid, user: &str) -> &'static str {
        let request = Request::get("/evidence")
            .header("x-tenant-id", tenant.to_string())
            .header("x-site-id", "main")
            .header("x-trace-id", "trace-1")
            .header("x-user-id", user);
        let (parts, ()) = request.body(()).expect("it is a request").into_parts();
        let defaults = ContextDefaults::default();
        let problem =
            context::context(&RequestHead::from_parts(&parts), None, principal, &defaults);
        let problem = problem.expect_err("the caller is forbidden");
        ForbiddenCause::from_problem(principal.may(Scope::Evidence), &problem).as_str()
    }

    #[test]
    fn the_audit_names_a_missing_scope_a_foreign_user_and_a_foreign_tenant() {
        let (own, foreign) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let jane = Principal::new("jane").for_tenants([own]).with_users(Users::Only("jane".into()));
        assert_eq!(word(&jane, own, "joe"), "missing_scope");
        let jane = jane.with_scopes("evidence".parse::<Scopes>().expect("a scope"));
        assert_eq!(word(&jane, own, "joe"), RefusalReason::User.as_str());
        assert_eq!(word(&jane, foreign, "jane"), "foreign_tenant");
    }
}
