//! What a person has allowed once and for all.

use thiserror::Error;
use tool_contracts::{CallStatus, Effect, ToolContext};
use uuid::Uuid;

use super::GrantFor;
use super::binding::{fingerprint, not_canonical};
use crate::call::{CallScope, ToolCall, is_name};
use crate::dispatch::Runtime;
use crate::dispatch::refusal::Refusal;
use crate::policy::asking::{PATIENCE, store_down};
use crate::policy::governor::State;
use crate::policy::principal::principal_of;
use crate::store::{GrantScope, StandingGrant, StoreError};

/// Says why a standing grant was not given.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum GrantError {
    /// No tool has this name.
    #[error("no tool is named `{0}`")]
    UnknownTool(String),
    /// What is destructive is asked about each time.
    #[error("`{0}` is destructive, so it is asked about each time")]
    Destructive(String),
    /// The context names nobody that the grant could be for.
    #[error("a grant is for somebody: give the context a `user_id` or an `actor`")]
    Nobody,
    /// The one who gives it has no name.
    #[error("a grant is given by somebody: name them")]
    NoApprover,
    /// The store could not keep it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl State {
    /// Lets a standing grant speak for a person; true if there is one.
    pub(super) async fn use_grant(&self, call: &mut ToolCall) -> Result<bool, Box<Refusal>> {
        let Some(scope) = call.scope() else { return Ok(false) };
        let Some(whole_tool) = self.grant_scope(scope) else { return Ok(false) };
        let mut scopes = vec![whole_tool.clone()];
        if let Ok(arguments) = fingerprint(self.plan(scope), scope) {
            scopes.push(whole_tool.with_arguments(arguments));
        }
        for scope in scopes {
            let found = self.ask_store(PATIENCE, self.stores.grants.find_grant(&scope)).await;
            let found = found.map_err(|error| store_failed(&error))?;
            let now = self.clock.now();
            let Some(grant) = found else { continue };
            if grant.expires_at.is_none_or(|end| now < end) {
                return Ok(call.approve(String::from(grant.granted_by)).is_ok());
            }
            // One that is over is only in the way.
            drop(self.stores.grants.revoke_grant(&scope).await);
        }
        Ok(false)
    }

    /// Keeps what the approver allowed once and for all; the call itself may run in any case.
    pub(super) async fn keep_grant(
        &self,
        call: &ToolCall,
        always: Option<GrantFor>,
    ) -> Result<(), Box<Refusal>> {
        let (Some(what), Some(scope)) = (always, call.scope()) else { return Ok(()) };
        let (Some(grant), Some(approver)) = (self.grant_scope(scope), call.approver()) else {
            return Ok(());
        };
        let grant = match what {
            GrantFor::Tool => grant,
            GrantFor::TheseArguments => {
                let arguments = fingerprint(self.plan(scope), scope);
                grant.with_arguments(arguments.map_err(|error| not_canonical(&error))?)
            }
        };
        let grant = StandingGrant::new(grant, approver, self.clock.now());
        // A grant that is not kept is asked for again; the yes to this call stands.
        drop(self.ask_store(PATIENCE, self.stores.grants.put_grant(grant)).await);
        Ok(())
    }

    /// What a grant for a call's tool would be for; none where no grant counts.
    fn grant_scope(&self, scope: &CallScope) -> Option<GrantScope> {
        let plan = self.plan(scope);
        let counts = plan.effect != Effect::Destructive;
        let principal = principal_of(scope.cx()).filter(|_| counts)?;
        Some(GrantScope::new(scope.cx().tenant_id(), principal, &*plan.tool, plan.schema))
    }
}

fn store_failed(error: &StoreError) -> Box<Refusal> {
    let failure = store_down(error)
        .with_message("what is allowed could not be looked up; try again later")
        .with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

impl Runtime {
    /// Allows a tool once and for all, for whom the context is for, until its schema changes.
    ///
    /// Returns what was granted, to [revoke](Self::revoke) it.
    ///
    /// # Errors
    /// There is no such tool, it is destructive, nobody is named, or the store fails.
    pub async fn grant(
        &self,
        tool: &str,
        cx: &ToolContext,
        granted_by: &str,
    ) -> Result<StandingGrant, GrantError> {
        let unknown = || GrantError::UnknownTool(tool.to_owned());
        let state = State::of(self).ok_or_else(unknown)?;
        let plan = state.plan_of(tool).ok_or_else(unknown)?;
        if plan.effect == Effect::Destructive {
            return Err(GrantError::Destructive(tool.to_owned()));
        }
        if !is_name(granted_by) {
            return Err(GrantError::NoApprover);
        }
        let principal = principal_of(cx).ok_or(GrantError::Nobody)?;
        let scope = GrantScope::new(cx.tenant_id(), principal, tool, plan.schema);
        let grant = StandingGrant::new(scope, granted_by, state.clock.now());
        state.stores.grants.put_grant(grant.clone()).await?;
        Ok(grant)
    }

    /// Takes a standing grant back; false if there was none.
    ///
    /// # Errors
    /// The store's.
    pub async fn revoke(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        match State::of(self) {
            Some(state) => state.stores.grants.revoke_grant(scope).await,
            None => Ok(false),
        }
    }

    /// Lists a tenant's standing grants, at most `most`, from the first after `after`.
    ///
    /// # Errors
    /// The store's.
    pub async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        most: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        match State::of(self) {
            Some(state) => state.stores.grants.grants(tenant, after, most).await,
            None => Ok(Vec::new()),
        }
    }
}
