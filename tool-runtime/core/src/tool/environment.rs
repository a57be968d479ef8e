//! The part of a runtime that tools and their calls use. It holds no handle of the runtime.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::Guard;
use futures::future::{Either, select};
use tool_runtime_schema::Limits;

use super::attachment_limits::AttachmentLimits;
use super::blocking::{BlockingPermits, JobInstrument};
use super::panic_guard::catch_panic;
use super::registry::{HostState, SharedCatalogue, ToolCatalogue};
use crate::timer::Timer;

/// The state that the calls of one runtime share with their tools.
pub struct Environment {
    pub(crate) catalogue: SharedCatalogue,
    pub(crate) states: HostState,
    pub(crate) limits: Limits,
    #[allow(dead_code, reason = "only the feature `attachments` attaches files")]
    pub(crate) attachment_limits: AttachmentLimits,
    pub timer: Arc<dyn Timer>,
    pub(crate) blocking_permits: BlockingPermits,
    /// Wraps the jobs of blocking tools, so that their threads run inside the call's span.
    pub(crate) job_instrument: Option<Arc<dyn JobInstrument>>,
}

impl Environment {
    pub(crate) fn timer(&self) -> &dyn Timer {
        &*self.timer
    }

    /// Returns the current tools, for a short use.
    pub fn tools(&self) -> Guard<Arc<ToolCatalogue>> {
        self.catalogue.load()
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the time since `started`, by the runtime's timer.
    pub(crate) fn elapsed_since(&self, started: Instant) -> Duration {
        self.timer.now().duration_since(started)
    }

    /// Awaits a future with a time limit; none if it was not ready in time.
    ///
    /// Outside of the timer's executor the time cannot be measured, and there is no limit.
    pub async fn within<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let future = pin!(future);
        let Ok(sleep) = catch_panic(|| self.timer.sleep(limit)) else { return Some(future.await) };
        match select(future, sleep).await {
            Either::Left((output, _)) => Some(output),
            Either::Right(_) => None,
        }
    }

    /// Returns the echo of arguments for an unknown tool: all of them, if they are JSON.
    ///
    /// A misspelt name may mean a tool with a secret, and no schema says which argument it is: where
    /// a tool takes a secret, nothing is echoed.
    pub(crate) fn echo_of_unknown<'a>(&self, arguments: &'a str) -> Option<&'a str> {
        let may_echo = !self.tools().has_secrets();
        let is_json = || tool_runtime_schema::json::read(arguments, &self.limits).is_ok();
        (may_echo && is_json()).then_some(arguments)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("tools", &self.tools().len())
            .field("states", &self.states)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
