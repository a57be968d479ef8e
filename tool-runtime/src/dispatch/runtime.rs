//! The runtime: opens calls and knows everything they need.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use futures::future::{Either, select};
use serde::Serialize;
use tool_contracts::{Permission, ToolCallRequest, ToolContext, ToolSpec};
use uuid::Uuid;

use super::builder::RuntimeBuilder;
use super::call_policy::CallPolicy;
use super::record::Observe;
use super::refusal::Refusal;
use super::seams::{CallInstrument, CallRecorder, EvidenceCollector};
use super::{fitting, pipeline};
use crate::arguments::Arguments;
use crate::call::{self, CallScope, ToolCall, ToolOutput, TypedCall, guard};
use crate::failure::FailureCode;
use crate::limits::Limits;
use crate::registry::{HostState, Registered, ToolCatalogue, TypedTool};
use crate::timer::Timer;

/// Holds the tools and opens calls of them. A handle: cloning it is cheap.
///
/// ```
/// use tool_runtime::prelude::*;
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<AddTool>().build()?;
/// let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
///
/// let mut call = runtime.call("add", r#"{"a":2,"b":40}"#, &cx);
/// assert_eq!(call.status(), CallStatus::Pending); // nothing has run
/// assert_eq!(call.execute().await.data_json(), Some("42"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) catalogue: ToolCatalogue,
    pub(crate) states: HostState,
    pub(crate) limits: Limits,
    pub(crate) tenant: Uuid,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) observers: Vec<Arc<dyn Observe>>,
    pub(crate) max_concurrent: usize,
    pub(crate) max_blocking: usize,
    pub(crate) blocking: Arc<AtomicUsize>,
    pub(crate) governor: Option<Arc<dyn CallPolicy>>,
    #[cfg(feature = "policy")]
    pub(crate) policy_state: Arc<crate::policy::PolicyState>,
    pub(crate) recorder: Option<Arc<dyn CallRecorder>>,
    pub(crate) evidence_collector: Option<Arc<dyn EvidenceCollector>>,
    pub(crate) instrument: Option<Arc<dyn CallInstrument>>,
}

/// The number of similar names in the answer to an unknown one.
const CLOSEST_NAMES: usize = 3;

impl Runtime {
    /// Starts a runtime's configuration.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Opens a call: finds the tool, types and checks the arguments, and runs nothing.
    ///
    /// It never fails: an unknown name or bad arguments make a call whose
    /// [`status`](ToolCall::status) is `Rejected` and whose output says why. The context's
    /// invocation id becomes the call's own.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call(&self, name: &str, arguments: impl Into<Arguments>, cx: &ToolContext) -> ToolCall {
        self.open(name, None, arguments.into().into_text(), cx.clone())
    }

    /// Opens a call of the tool behind a handle, so that its answer is typed.
    ///
    /// # Errors
    /// `arguments` cannot be written as JSON.
    pub fn call_typed<T: TypedTool>(
        &self,
        arguments: &impl Serialize,
        cx: &ToolContext,
    ) -> serde_json::Result<TypedCall<T>> {
        let text = serde_json::to_string(arguments)?.into_boxed_str();
        Ok(TypedCall::new(self.open(T::definition().name, None, text, cx.clone())))
    }

    /// Opens a call with the model's id of it, from arguments that may not even be JSON.
    ///
    /// [`call_request`](Self::call_request) does the same with arguments that were parsed before.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_with_id(
        &self,
        call_id: impl Into<String>,
        name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {
        let call_id = call_id.into().into_boxed_str();
        self.open(name, Some(call_id), arguments.into().into_text(), cx.clone())
    }

    /// Opens a call that a model asked for, with the id that it gave.
    ///
    /// The context's invocation id becomes the call's own.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_request(&self, request: &ToolCallRequest, cx: &ToolContext) -> ToolCall {
        let id = Some(request.call_id().into());
        self.open(request.name(), id, request.arguments().get().into(), cx.clone())
    }

    /// Opens the calls that a model asked for in one turn, in its order.
    ///
    /// Each gets the id that the model gave it, and an invocation id of its own.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_all(&self, requests: &[ToolCallRequest], cx: &ToolContext) -> Vec<ToolCall> {
        let call = |request| self.call_request(request, &cx.with_invocation_id(Uuid::now_v7()));
        requests.iter().map(call).collect()
    }

    /// Executes a batch: reads side by side, each write alone; outputs in the calls' order.
    ///
    /// At most [`max_concurrent_tools`](RuntimeBuilder::max_concurrent_tools) reads run at once. A
    /// write, or a destructive call, starts when the calls before it have ended, and the calls after
    /// it wait for it. Calls that are answered already are left as they are.
    ///
    /// A call that needs approval delays no other call. The approver decides about one call after
    /// another while the other calls run; the approved calls run in their order once these have
    /// ended and every decision is made. A call that needs no approval therefore never sees the
    /// effect of one that does, even if it comes later in the batch. The access policy is evaluated
    /// again before an approved call runs. Without an approver, such a call is answered
    /// `NEEDS_USER_CONFIRMATION` at once, as by [`execute`](ToolCall::execute). A call that was
    /// approved before needs no further approval.
    ///
    /// The context's `timeouts_ms` is the budget of the whole batch; the time that approvers take
    /// does not count.
    ///
    /// # Cancellation
    /// Dropping the returned future interrupts the calls that are running; a call that has not begun,
    /// or waits for approval, stays pending, and may be executed again.
    pub async fn execute_all<'c>(&self, calls: &'c mut [ToolCall]) -> Vec<&'c ToolOutput> {
        call::run_batch(calls, self.inner.max_concurrent, self.timer()).await
    }

    /// Lists every tool in the order of their names, but for the denied ones.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.inner.catalogue.iter().map(|tool| &tool.spec).filter(|spec| is_listed(spec))
    }

    /// Lists the tools that models may call, in the order of their names.
    pub fn specs_for_model(&self) -> impl Iterator<Item = &ToolSpec> {
        self.specs().filter(|spec| spec.ai_callable())
    }

    /// Lists the codes that a tool's own error may carry, as its `ToolFailure` declares them.
    ///
    /// None if there is no such tool; empty for a tool whose error declares nothing, which is
    /// answered `INTERNAL`.
    #[must_use]
    pub fn failure_codes(&self, name: &str) -> Option<&[FailureCode]> {
        self.inner.catalogue.find(name).map(|tool| &*tool.codes)
    }

    /// Finds one tool's spec by its name, unless it is denied.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.inner.catalogue.find(name).map(|tool| &tool.spec).filter(|spec| is_listed(spec))
    }

    pub(crate) fn open(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> ToolCall {
        self.open_knowing(name, call_id, arguments, cx, &|_| true)
    }

    /// Opens a call for a caller that may see these tools only: no other tool's name is suggested.
    pub(crate) fn open_knowing(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        known: &dyn Fn(&ToolSpec) -> bool,
    ) -> ToolCall {
        let Some(tool) = self.inner.catalogue.find(name) else {
            let refusal = Refusal::unknown_tool(&self.closest(name, known));
            let refusal = self.counted(name, &cx, refusal);
            return ToolCall::unknown(self.clone(), name, call_id, arguments, cx, &refusal);
        };
        self.opened(CallScope::new(self.clone(), tool.clone(), call_id, arguments, cx))
    }

    /// Returns how a call of a name that is not listed is refused; opens none, and records none.
    #[cfg(feature = "http")]
    pub(crate) fn refusal_of_name(
        &self,
        name: &str,
        known: &dyn Fn(&ToolSpec) -> bool,
    ) -> Box<Refusal> {
        match self.inner.catalogue.find(name) {
            Some(_) => Refusal::denied_tool(),
            None => Refusal::unknown_tool(&self.closest(name, known)),
        }
    }

    /// Opens a call that repeats an earlier one, to see whether its answer is still the same.
    pub(crate) fn open_replay(
        &self,
        name: &str,
        arguments: Box<str>,
        cx: ToolContext,
        earlier: Uuid,
    ) -> ToolCall {
        match self.inner.catalogue.find(name) {
            None => self.open(name, None, arguments, cx),
            Some(tool) => {
                let scope = CallScope::new(self.clone(), tool.clone(), None, arguments, cx);
                self.opened(scope.replaying(earlier))
            }
        }
    }

    fn opened(&self, scope: CallScope) -> ToolCall {
        let opened = if is_listed(scope.tool()) {
            pipeline::decode(&scope)
        } else {
            Err(Refusal::denied_tool())
        };
        match opened {
            Ok(decoded) => ToolCall::pending(scope, decoded),
            Err(refusal) => {
                let is_own = scope.replay_of().is_none();
                let count = |refusal| self.counted(scope.tool().name(), scope.cx(), refusal);
                let refusal = if is_own { count(refusal) } else { refusal };
                ToolCall::refused(scope, &refusal)
            }
        }
    }

    /// Passes a refusal to the policy, which counts it.
    fn counted(&self, name: &str, cx: &ToolContext, mut refusal: Box<Refusal>) -> Box<Refusal> {
        if let Some(governor) = self.governor() {
            governor.refused(name, cx, &mut refusal);
        }
        refusal
    }

    fn closest(&self, name: &str, known: &dyn Fn(&ToolSpec) -> bool) -> Vec<&str> {
        let names = self.specs_for_model().filter(|spec| known(spec)).map(ToolSpec::name);
        crate::schema::nearest(name, names, CLOSEST_NAMES)
    }

    /// Returns the echo of arguments for an unknown tool, if it may be shown.
    pub(crate) fn echo_of_unknown<'a>(&self, arguments: &'a str) -> Option<&'a str> {
        // A misspelt name may mean a tool with a secret, and no schema says which argument it is.
        let has_secrets = self.inner.catalogue.has_secrets();
        let echo = || fitting::echo_of_unknown(arguments, self.limits());
        if has_secrets { None } else { echo() }
    }

    pub(crate) fn registered(&self, name: &str) -> Option<&Registered> {
        self.inner.catalogue.find(name).map(|tool| &**tool)
    }

    pub(crate) fn tenant(&self) -> Uuid {
        self.inner.tenant
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    pub(crate) fn states(&self) -> &HostState {
        &self.inner.states
    }

    pub(crate) fn timer(&self) -> &dyn Timer {
        &*self.inner.timer
    }

    #[cfg(feature = "http")]
    pub(crate) fn shared_timer(&self) -> Arc<dyn Timer> {
        Arc::clone(&self.inner.timer)
    }

    /// Awaits a future with a time limit; none if it was not ready in time.
    ///
    /// Outside of the timer's executor the time cannot be measured, and there is no limit.
    pub(crate) async fn within<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let future = pin!(future);
        let Ok(sleep) = guard(|| self.timer().sleep(limit)) else { return Some(future.await) };
        match select(future, sleep).await {
            Either::Left((output, _)) => Some(output),
            Either::Right(_) => None,
        }
    }

    #[cfg(feature = "policy")]
    pub(crate) fn policy_state(&self) -> &Arc<crate::policy::PolicyState> {
        &self.inner.policy_state
    }

    /// Returns the runtime as a build without the feature `policy` makes it.
    #[cfg(test)]
    pub(crate) fn without_policy(mut self) -> Self {
        Arc::get_mut(&mut self.inner).expect("a new runtime has one handle").governor = None;
        self
    }

    pub(crate) fn governor(&self) -> Option<&dyn CallPolicy> {
        self.inner.governor.as_deref()
    }

    pub(crate) fn recorder(&self) -> Option<&dyn CallRecorder> {
        self.inner.recorder.as_deref()
    }

    pub(crate) fn evidence_collector(&self) -> Option<&dyn EvidenceCollector> {
        self.inner.evidence_collector.as_deref()
    }

    pub(crate) fn instrument(&self) -> Option<&dyn CallInstrument> {
        self.inner.instrument.as_deref()
    }

    pub(crate) fn observers(&self) -> &[Arc<dyn Observe>] {
        &self.inner.observers
    }

    pub(crate) fn max_blocking(&self) -> usize {
        self.inner.max_blocking
    }

    pub(crate) fn blocking_slots(&self) -> &Arc<AtomicUsize> {
        &self.inner.blocking
    }
}

fn is_listed(spec: &ToolSpec) -> bool {
    spec.permission() != Permission::Deny
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("tools", &self.inner.catalogue.len())
            .field("states", &self.inner.states)
            .field("limits", &self.inner.limits)
            .finish_non_exhaustive()
    }
}
