//! The limiters of the calls of each tool, made when a tool is called first.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tool_runtime_core::Timer;
use tool_runtime_core::policy::RateLimit;
use uuid::Uuid;

use super::SplitLimiter;

/// The most tools that have a separate limiter; further tools share one.
const MAX_TOOLS: usize = 10_000;

/// By tenant.
type ToolLimiter = Arc<SplitLimiter<Uuid, Uuid>>;

/// The limiters of calls, by tool.
pub(super) struct CallLimiters {
    limit: RateLimit,
    timer: Arc<dyn Timer>,
    by_tool: ArcSwap<HashMap<Box<str>, ToolLimiter>>,
    shared: ToolLimiter,
}

impl CallLimiters {
    pub(super) fn new(limit: RateLimit, timer: &Arc<dyn Timer>) -> Self {
        let shared = Arc::new(SplitLimiter::new(limit, timer));
        Self { limit, timer: timer.clone(), by_tool: ArcSwap::default(), shared }
    }

    /// Returns the limiter of a tool that the runtime has.
    pub(super) fn limiter_for(&self, tool: &str) -> ToolLimiter {
        if let Some(limiter) = self.by_tool.load().get(tool) {
            return limiter.clone();
        }
        let new = Arc::new(SplitLimiter::new(self.limit, &self.timer));
        self.by_tool.rcu(|known| {
            let mut limiters = HashMap::clone(known);
            if limiters.len() < MAX_TOOLS {
                limiters.entry(tool.into()).or_insert_with(|| new.clone());
            }
            limiters
        });
        self.by_tool.load().get(tool).unwrap_or(&self.shared).clone()
    }
}

impl fmt::Debug for CallLimiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallLimiters")
            .field("tools", &self.by_tool.load().len())
            .finish_non_exhaustive()
    }
}
