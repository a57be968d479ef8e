//! The runtime: opens calls, and holds everything that they need.

mod builder;
mod debug_log;
#[cfg(feature = "discovery")]
mod discover;
mod request_envelope;
mod tool_client;
mod tools;
mod weak;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tool_contracts::{ToolCallRequest, ToolContext, ToolSpec};
use uuid::Uuid;

pub use self::builder::RuntimeBuilder;
pub use self::tool_client::ToolClient;
pub use self::tools::{ToolChanges, ToolList, ToolSubscription, Tools};
pub use self::weak::WeakRuntime;
use crate::arguments::Arguments;
use crate::call::{self, CallServices, ToolCall, TypedCall};
use crate::dispatch::refusal::Refusal;
use crate::timer::Timer;
use crate::tool::registry::{RefusedTool, ToolSettings, TypedTool};
use crate::tool::{CallScope, Environment, ToolOutput};

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
/// let cx = ToolContext::local();
///
/// let mut call = runtime.call("add", r#"{"a":2,"b":40}"#, &cx);
/// assert_eq!(call.status(), CallStatus::Pending); // nothing has run
/// assert_eq!(call.execute().await.data_json(), Some("42"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<RuntimeInner>,
}

struct RuntimeInner {
    services: Arc<CallServices>,
    refused: Vec<RefusedTool>,
    tenant: Uuid,
    max_concurrent: usize,
    /// The settings for tools that are added later.
    settings: ToolSettings,
}

impl Runtime {
    /// Starts a runtime's configuration.
    #[must_use]
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::new()
    }

    fn new(inner: RuntimeInner) -> Self {
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
    /// Each gets the id that the model gave it, and an invocation id of its own. Calls of one turn
    /// under one id are several calls, and none of them is a repeat of another; a call of a later turn
    /// under the same id is one. For models that number the calls of each turn anew,
    /// `Turn::open_calls`, of the feature `adapters`, tells the turns apart.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_all(&self, requests: &[ToolCallRequest], cx: &ToolContext) -> Vec<ToolCall> {
        let mut uses: HashMap<&str, u32> = HashMap::with_capacity(requests.len());
        let call = |request: &ToolCallRequest, earlier: u32| {
            let call = self.call_request(request, &cx.with_invocation_id(Uuid::now_v7()));
            if let Some(scope) = call.scope().filter(|_| earlier > 0) {
                scope.set_place(format!("repeated:{earlier}:{}", request.call_id()));
            }
            call
        };
        requests
            .iter()
            .map(|request| {
                let uses = uses.entry(request.call_id()).or_default();
                *uses += 1;
                call(request, *uses - 1)
            })
            .collect()
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

    /// Returns the tools, to list or to change them while calls run.
    #[must_use]
    pub fn tools(&self) -> Tools<'_> {
        Tools::new(self)
    }

    /// Lists every tool in the order of their names, but for the denied and the disabled ones.
    ///
    /// The list is of one moment: a change of the tools meanwhile does not change it.
    pub fn specs(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {
        self.tools().list().into_specs()
    }

    /// Lists the tools that models may call, in the order of their names.
    pub fn specs_for_model(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {
        self.specs().filter(|spec| spec.ai_callable())
    }

    /// Finds one tool's spec by its name, unless the tool is denied or disabled.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<Arc<ToolSpec>> {
        self.environment().tools().find_listed(name).cloned()
    }

    #[must_use]
    pub fn open(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> ToolCall {
        self.open_among(name, call_id, arguments, cx, &|_| true)
    }

    /// Opens a call for a caller that may see these tools only: no other tool's name is suggested.
    pub fn open_among(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        visible: &dyn Fn(&ToolSpec) -> bool,
    ) -> ToolCall {
        let services = self.services();
        let tools = self.environment().tools();
        let Some(entry) = tools.find(name) else {
            let refusal = Refusal::unknown_tool(&services.closest(name, visible));
            return self.open_refused(name, call_id, arguments, cx, refusal);
        };
        let environment = services.environment().clone();
        let scope = CallScope::new(environment, entry.tool.clone(), call_id, arguments, cx);
        ToolCall::open(services.clone(), scope, entry.availability())
    }

    /// Opens a call of a name that the caller may not use, which is answered with this refusal.
    #[must_use]
    pub fn open_refused(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        refusal: Box<Refusal>,
    ) -> ToolCall {
        let services = self.services();
        let refusal = services.count_refusal(name, &cx, refusal);
        ToolCall::unknown(services.clone(), name, call_id, arguments, cx, &refusal)
    }

    #[must_use]
    pub fn services(&self) -> &Arc<CallServices> {
        &self.inner.services
    }

    #[must_use]
    pub fn environment(&self) -> &Environment {
        self.inner.services.environment()
    }

    pub(crate) fn tenant(&self) -> Uuid {
        self.inner.tenant
    }

    #[must_use]
    pub fn timer(&self) -> &dyn Timer {
        self.environment().timer()
    }

    /// Returns the runtime as a build without the feature `policy` makes it.
    #[cfg(all(test, feature = "tokio"))]
    pub(crate) fn without_policy(mut self) -> Self {
        let inner = Arc::get_mut(&mut self.inner).expect("a new runtime has one handle");
        let services = Arc::get_mut(&mut inner.services).expect("no call was opened");
        services.authorization = None;
        services.dispatcher.policy = None;
        self
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Runtime").field(self.environment()).finish()
    }
}
