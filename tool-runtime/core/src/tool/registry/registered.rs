//! A tool of a catalogue: compiled, and planned by the call policy.

use std::fmt;
use std::ops::Deref;

use super::CompiledTool;
#[cfg(not(feature = "policy"))]
use crate::no_policy::ToolPlan;
#[cfg(feature = "policy")]
use crate::policy::ToolPlan;

/// A tool that can be called.
pub struct RegisteredTool {
    compiled: CompiledTool,
    #[allow(dead_code, reason = "only the feature `policy` reads it")]
    pub(crate) plan: ToolPlan,
    /// The call policy's stages that apply to the tool.
    pub policy_stages: PolicyStages,
}

/// The policy stages that a tool needs, computed once by `build()`: a plain read needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PolicyStages {
    pub authorize: bool,
    pub(crate) claim: bool,
    pub(crate) retry: bool,
}

impl RegisteredTool {
    pub(crate) fn new(compiled: CompiledTool, plan: ToolPlan, stages: PolicyStages) -> Self {
        Self { compiled, plan, policy_stages: stages }
    }
}

/// A call reads far more of the compiled tool than of its plan.
impl Deref for RegisteredTool {
    type Target = CompiledTool;

    fn deref(&self) -> &CompiledTool {
        &self.compiled
    }
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool").field("name", &self.spec.name()).finish_non_exhaustive()
    }
}
