//! A stub of the policy of a runtime without the feature `policy`: it decides nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::call::AuthorizationPolicy;
use crate::dispatch::execution_policy::ExecutionPolicy;
use crate::timer::Timer;
use crate::tool::BuildProblem;
use crate::tool::registry::RegisteredTool;

/// No policy: a tool's permission decides.
#[derive(Default)]
pub(crate) struct Policy {}

/// No state of policies.
pub(crate) struct PolicyState;

/// No policies of execution and authorization.
type PolicyHandles = (Option<Arc<dyn ExecutionPolicy>>, Option<Arc<dyn AuthorizationPolicy>>);

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl Policy {
    pub(crate) fn check(&self, _: Option<&BTreeSet<&str>>) -> Vec<BuildProblem> {
        Vec::new()
    }

    pub(crate) fn prepare(self, _: &mut [RegisteredTool], _: &Arc<dyn Timer>) -> Arc<PolicyState> {
        Arc::new(PolicyState)
    }
}

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl PolicyState {
    pub(crate) fn plan_tool(&self, _: &mut RegisteredTool, _: Option<&RegisteredTool>) {}

    pub(crate) fn handles(_: &Arc<Self>) -> PolicyHandles {
        (None, None)
    }
}
