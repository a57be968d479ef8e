//! Standing grants: approvals for all future calls of a tool.

use thiserror::Error;
use tool_contracts::{CallStatus, Effect, ToolContext};
use uuid::Uuid;

use super::Approvals;
use super::GrantFor;
use super::preview_binding::{fingerprint, not_canonical};
use crate::call::ToolCall;
use crate::dispatch::is_name;
use crate::dispatch::refusal::Refusal;
use crate::policy::store_client::{STORE_TIMEOUT, StoreClient, log_store_error, store_failure};
use crate::runtime::Runtime;
use crate::store::principal::principal_of;
use crate::store::{GrantScope, StandingGrant, StoreError};
use crate::tool::CallScope;

/// The reason why no standing grant was given.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum GrantError {
    /// No tool has this name.
    #[error("no tool is named `{0}`")]
    UnknownTool(String),
    /// A destructive tool needs an approval for each call.
    #[error("`{0}` is destructive, so each call needs an approval")]
    Destructive(String),
    /// The context has no principal to whom the grant could be given.
    #[error("a grant needs a principal: set `user_id` or `actor` in the context")]
    NoPrincipal,
    /// The approver's name is empty or has hidden characters.
    #[error("the approver's name is empty or has hidden characters")]
    InvalidApprover,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Approvals {
    /// Approves the call by a standing grant; returns whether there is one.
    pub(super) async fn use_grant(&self, call: &mut ToolCall) -> Result<bool, Box<Refusal>> {
        let Some(scope) = call.scope() else { return Ok(false) };
        let Some(whole_tool) = grant_scope(scope) else { return Ok(false) };
        let mut scopes = vec![whole_tool.clone()];
        if let Ok(arguments) = fingerprint(scope.plan(), scope) {
            scopes.push(whole_tool.with_arguments(arguments));
        }
        for scope in scopes {
            let lookup =
                self.stores.call(STORE_TIMEOUT, self.stores.grants.find_grant(&scope)).await;
            let stored_grant = lookup.map_err(|error| store_failed(&error))?;
            let now = self.stores.now();
            let Some(grant) = stored_grant else { continue };
            if grant.expires_at.is_none_or(|end| now < end) {
                return Ok(call.approve(String::from(grant.granted_by)).is_ok());
            }
            // An expired grant is removed; if that fails, the next call tries again.
            let revoked = self.stores.grants.revoke_grant(&scope);
            if let Err(error) = self.stores.call(STORE_TIMEOUT, revoked).await {
                log_store_error("an expired grant was not removed", &error);
            }
        }
        Ok(false)
    }

    /// Stores the standing grant of an approver; the call itself is approved in any case.
    pub(super) async fn keep_grant(
        &self,
        call: &ToolCall,
        always: Option<GrantFor>,
    ) -> Result<(), Box<Refusal>> {
        let (Some(covered), Some(scope)) = (always, call.scope()) else { return Ok(()) };
        let (Some(grant), Some(approver)) = (grant_scope(scope), call.approver()) else {
            return Ok(());
        };
        let grant = match covered {
            GrantFor::Tool => grant,
            GrantFor::TheseArguments => {
                let arguments = fingerprint(scope.plan(), scope);
                grant.with_arguments(arguments.map_err(|error| not_canonical(&error))?)
            }
        };
        let grant = StandingGrant::new(grant, approver, self.stores.now());
        // If the store fails, the next call needs an approval again; this one stays approved.
        let put_future = self.stores.grants.put_grant(grant);
        if let Err(error) = self.stores.call(STORE_TIMEOUT, put_future).await {
            log_store_error("a standing grant was not stored", &error);
        }
        Ok(())
    }
}

/// Returns the scope of a grant for the call's tool; none if no grant is valid for it.
fn grant_scope(scope: &CallScope) -> Option<GrantScope> {
    let plan = scope.plan();
    let counts = plan.effect != Effect::Destructive;
    let principal = principal_of(scope.cx()).filter(|_| counts)?;
    Some(GrantScope::new(scope.cx().tenant_id(), principal, &*plan.tool, plan.schema))
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_failure(error)
        .with_message("the standing grants could not be read; try again later")
        .with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

/// The standing grants of a runtime: approvals for all future calls of a tool by a principal.
///
/// [`Runtime::grants`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct Grants<'r>(&'r Runtime);

impl Runtime {
    /// Returns the standing grants: to give, revoke and list them.
    #[must_use]
    pub fn grants(&self) -> Grants<'_> {
        Grants(self)
    }
}

impl Grants<'_> {
    fn stores(&self) -> &StoreClient {
        &self.0.policy_state().approvals.stores
    }

    /// Approves all future calls of a tool by the context's principal, until the tool's schema
    /// changes.
    ///
    /// Returns the grant, which can be [revoked](Self::revoke).
    ///
    /// # Errors
    /// Returns an error if the tool is unknown or destructive, the context has no principal, the
    /// approver has no name, or the store fails.
    pub async fn give(
        &self,
        tool: &str,
        cx: &ToolContext,
        granted_by: &str,
    ) -> Result<StandingGrant, GrantError> {
        let unknown = || GrantError::UnknownTool(tool.to_owned());
        let registered = self.0.registered(tool).ok_or_else(unknown)?;
        let plan = &registered.plan;
        if plan.effect == Effect::Destructive {
            return Err(GrantError::Destructive(tool.to_owned()));
        }
        if !is_name(granted_by) {
            return Err(GrantError::InvalidApprover);
        }
        let principal = principal_of(cx).ok_or(GrantError::NoPrincipal)?;
        let scope = GrantScope::new(cx.tenant_id(), principal, tool, plan.schema);
        let stores = self.stores();
        let grant = StandingGrant::new(scope, granted_by, stores.now());
        stores.call(STORE_TIMEOUT, stores.grants.put_grant(grant.clone())).await?;
        Ok(grant)
    }

    /// Revokes a standing grant; false if there was none.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn revoke(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        let stores = self.stores();
        stores.call(STORE_TIMEOUT, stores.grants.revoke_grant(scope)).await
    }

    /// Lists a tenant's standing grants, at most `limit`, from the first after `after`.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn list(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        let stores = self.stores();
        stores.call(STORE_TIMEOUT, stores.grants.grants(tenant, after, limit)).await
    }
}
