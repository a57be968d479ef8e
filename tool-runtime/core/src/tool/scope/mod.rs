//! One call, as its tool sees it.

mod call_state;
mod entry;
mod evidence;
mod ledger;
#[cfg(not(feature = "trace"))]
mod no_span_slot;
mod place;
#[cfg(feature = "policy")]
mod policy;
mod purpose;
mod requested;
mod scrubs;
#[cfg(feature = "trace")]
mod span_slot;
mod stage;

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use tool_contracts::{Coercion, ErrorCode, ToolContext, ToolSpec};
use tool_runtime_schema::json::from_text;
use uuid::Uuid;

use self::call_state::CallState;
#[cfg(feature = "policy")]
pub(crate) use self::call_state::{Lease, Transaction};
use self::purpose::{ArgumentEdit, Purpose};
pub use self::requested::RequestedLimits;
pub(crate) use self::scrubs::ErrorAuthor;
use super::environment::Environment;
use super::registry::RegisteredTool;
use crate::arguments;
use crate::failure::Failure;

/// One call, as its tool sees it. A handle: cloning it is cheap.
#[derive(Clone)]
pub struct CallScope(Arc<CallState>);

/// The view of a tool's author.
impl CallScope {
    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        &self.0.cx
    }

    /// Returns the tool that is called.
    #[must_use]
    pub fn tool(&self) -> &ToolSpec {
        &self.0.tool.spec
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.0.call_id.as_deref()
    }

    /// Returns the admitted arguments as JSON text: as sent, with lossless coercions applied.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.0.admitted_arguments()
    }

    /// Reads the admitted arguments into a type, as a dynamic tool's closure does.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the type cannot be read from arguments that the schema admits.
    pub fn parse<'s, T: Deserialize<'s>>(&'s self) -> Result<T, Failure> {
        from_text(self.arguments()).map_err(|error| {
            Failure::from_code(ErrorCode::InvalidArgument).with_log(error.to_string())
        })
    }

    /// Returns the host's state of this type, if the builder was given one.
    #[must_use]
    pub fn state<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.environment.states.get::<T>().map(|state| &**state)
    }

    /// Returns the transaction of the store for this attempt, for [`FromCall`](crate::FromCall) of a backend's type.
    ///
    /// # Errors
    /// `INTERNAL` if the tool was not declared to take a transaction of this type, or the store has none.
    pub fn transaction<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, Failure> {
        let current = self.0.current_transaction();
        let transaction = current.and_then(|transaction| transaction.downcast().ok());
        transaction.ok_or_else(|| {
            Failure::from_code(ErrorCode::Internal).with_log(format!(
                "the call has no `{}`: only a write has one, under a policy with this store; a dynamic tool says \
                 `takes_transaction`",
                std::any::type_name::<T>()
            ))
        })
    }

    /// Returns whether the tool must not perform its effect.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.0.cx.dry_run()
    }

    /// Returns whether this is the dry run of a call that waits for a decision.
    #[must_use]
    pub fn is_approval_dry_run(&self) -> bool {
        self.0.purpose.is_approval_dry_run()
    }

    /// Returns the call that this one replays.
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {
        self.0.purpose.replay_of()
    }

    /// Returns how long the tool may run: by its own deadline, the context's budget or the limits of
    /// an agent's request, whichever is sooner.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let tool_timeout = self.0.tool.timeout;
        let spent = self.0.spent_ms.load(Ordering::Relaxed);
        let left = |budget: u64| Duration::from_millis(budget.saturating_sub(spent));
        let time_budget =
            self.0.cx.timeouts_ms().map_or(tool_timeout, |budget| tool_timeout.min(left(budget)));
        self.requested_budget().map_or(time_budget, |requested| time_budget.min(requested))
    }
}

/// The calls that the runtime makes from this one.
impl CallScope {
    pub fn new(
        environment: Arc<Environment>,
        tool: Arc<RegisteredTool>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {
        let limits = *environment.limits();
        let (arguments, written) = arguments::or_none(arguments, &limits);
        let state = CallState::new(environment, tool, call_id, arguments, cx);
        if let Some(written) = written {
            let mut report = state.tool.check_arguments(&state.arguments, &limits);
            if report.is_admitted() {
                report.coercions.insert(0, Coercion::new("", written, "object"));
            }
            drop(state.schema_report.set(Box::new(report)));
        }
        Self(Arc::new(state))
    }

    /// Makes the same call with arguments that a person changed.
    pub(crate) fn edited(&self, arguments: Box<str>, pointers: Vec<String>) -> Self {
        let mut shared = self.restarted_with(arguments);
        let edit = ArgumentEdit { sent: self.original_call().clone(), pointers };
        shared.purpose = Purpose::Edited(Box::new(edit));
        let edited = Self(Arc::new(shared));
        if let Some(source) = self.input_source() {
            edited.set_input_source(source);
        }
        self.share_requested_limits(&edited);
        edited
    }

    /// Makes a dry run of this call, which ends without it.
    pub(crate) fn for_approval_dry_run(&self) -> Self {
        let mut shared = self.restarted_with(self.arguments().into());
        shared.cx = shared.cx.with_dry_run(true);
        shared.cancel = OnceLock::new();
        shared.purpose = Purpose::ApprovalDryRun;
        let dry_run = Self(Arc::new(shared));
        self.share_requested_time(&dry_run);
        dry_run
    }

    /// Starts the same call anew, with the same cancellation and the same listener.
    fn restarted_with(&self, arguments: Box<str>) -> CallState {
        let CallState { environment, tool, call_id, cx, .. } = &*self.0;
        let (environment, tool) = (environment.clone(), tool.clone());
        let call_id = call_id.clone();
        let again = CallState {
            cancel: OnceLock::from(self.cancel_flag().clone()),
            spent_ms: AtomicU64::new(self.0.spent_ms.load(Ordering::Relaxed)),
            ..CallState::new(environment, tool, call_id, arguments, cx.clone())
        };
        if let Some(place) = self.place() {
            drop(again.optional_or_new().place.set(place.into()));
        }
        if let Some(sink) = self.progress_sink() {
            *again.optional_or_new().lock_progress() = Some(sink);
        }
        again
    }

    /// The call as the caller sent it, before a person changed it.
    pub(crate) fn original_call(&self) -> &Self {
        self.0.purpose.edit().map_or(self, |edit| &edit.sent)
    }
}

/// Gives the runtime the methods of [`CallState`].
#[doc(hidden)]
impl Deref for CallScope {
    type Target = CallState;

    fn deref(&self) -> &CallState {
        &self.0
    }
}

impl fmt::Debug for CallScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallScope")
            .field("tool", &self.tool().name())
            .field("call_id", &self.call_id())
            .field("cx", self.cx())
            .finish_non_exhaustive()
    }
}
