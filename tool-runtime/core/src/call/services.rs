//! The parts of a runtime that its calls hold: the dispatcher, and the policy that authorizes.

use std::fmt;
use std::sync::Arc;

use tool_contracts::{ToolContext, ToolSpec};

use super::authorization_policy::AuthorizationPolicy;
use crate::dispatch::Dispatcher;
use crate::dispatch::refusal::Refusal;
#[cfg(not(feature = "policy"))]
use crate::no_policy::PolicyState;
#[cfg(feature = "policy")]
use crate::policy::PolicyState;
use crate::tool::Environment;

/// The number of similar names in the answer to an unknown one.
const CLOSEST_NAMES: usize = 3;

/// The state that the calls of one runtime share. A call holds this instead of the runtime.
pub struct CallServices {
    // Not the runtime, which holds tools and records that hold calls: a circle would never be
    // dropped.
    pub dispatcher: Dispatcher,
    pub(crate) authorization: Option<Arc<dyn AuthorizationPolicy>>,
    #[allow(dead_code, reason = "only the feature `policy` reads it")]
    pub(crate) policy_state: Arc<PolicyState>,
}

impl fmt::Debug for CallServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallServices").finish_non_exhaustive()
    }
}

impl CallServices {
    pub fn environment(&self) -> &Arc<Environment> {
        self.dispatcher.environment()
    }

    pub(crate) fn authorization(&self) -> Option<&dyn AuthorizationPolicy> {
        self.authorization.as_deref()
    }

    /// Passes a refusal to the policy, which counts it and may add to its answer.
    pub(crate) fn count_refusal(
        &self,
        name: &str,
        cx: &ToolContext,
        mut refusal: Box<Refusal>,
    ) -> Box<Refusal> {
        if let Some(policy) = self.authorization() {
            policy.refused(name, cx, &mut refusal);
        }
        refusal
    }

    /// Returns the names nearest to an unknown one, of the tools that the caller may see.
    pub fn closest(&self, name: &str, visible: &dyn Fn(&ToolSpec) -> bool) -> Vec<String> {
        let catalogue = self.environment().tools();
        let tools = catalogue.listed_for_model().filter(|spec| visible(spec));
        let names: Vec<_> = tools.map(|spec| spec.name()).collect();
        let nearest = tool_runtime_schema::schema::nearest_tools(name, &names, CLOSEST_NAMES);
        nearest.into_iter().map(str::to_owned).collect()
    }
}
