//! A stub of the policy of a runtime without the feature `policy`: it decides nothing.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::sync::Arc;

use tool_contracts::ToolSpec;

use crate::call::AuthorizationPolicy;
use crate::dispatch::execution_policy::ExecutionPolicy;
use crate::timer::Timer;
use crate::tool::BuildProblem;
use crate::tool::registry::{CompiledTool, PolicyStages, RegisteredTool};

/// No policy: a tool's permission decides.
#[derive(Default)]
pub(crate) struct Policy {}

/// No state of policies.
pub(crate) struct PolicyState;

/// No plan for a tool's calls.
pub(crate) struct ToolPlan;

/// No policies of execution and authorization.
type PolicyHandles = (Option<Arc<dyn ExecutionPolicy>>, Option<Arc<dyn AuthorizationPolicy>>);

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl Policy {
    pub(crate) fn check(&self, _: Option<&BTreeSet<&str>>) -> Vec<BuildProblem> {
        Vec::new()
    }

    pub(crate) fn check_budgets(&self, _: &ToolSpec) -> Vec<BuildProblem> {
        Vec::new()
    }

    pub(crate) fn has_transaction(&self, _: TypeId) -> bool {
        false
    }

    pub(crate) fn prepare(
        self,
        tools: Vec<CompiledTool>,
        _: &Arc<dyn Timer>,
    ) -> (Vec<RegisteredTool>, Arc<PolicyState>) {
        let tools = tools.into_iter().map(|tool| PolicyState.plan_tool(tool, None));
        (tools.collect(), Arc::new(PolicyState))
    }
}

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl PolicyState {
    pub(crate) fn plan_tool(
        &self,
        tool: CompiledTool,
        _: Option<&RegisteredTool>,
    ) -> RegisteredTool {
        RegisteredTool::new(tool, ToolPlan, PolicyStages::default())
    }

    pub(crate) fn handles(_: &Arc<Self>) -> PolicyHandles {
        (None, None)
    }
}
