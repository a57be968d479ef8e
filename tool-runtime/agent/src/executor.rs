//! Runs an agent's requests through a runtime.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::Utc;
use serde_json::value::RawValue;
use tool_contracts::ToolContext;
use tool_contracts::act::{ActResult, ToolRequest, ToolType};
use tool_runtime_core::call::{ToolCall, run_batch};
use tool_runtime_core::policy::RetryConfig;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tokens::{TokenCounter, TokenEstimate};
use tool_runtime_core::tool::{RequestedLimits, ToolOutput};
use uuid::Uuid;

use super::block_on;
use super::deadline::Deadline;
use super::error::{AgentError, AgentErrorKind};
use super::resolution::{ToolTypes, is_known, resolve};

/// Runs an agent's requests.
///
/// # Success, failure, error
/// A request that names a tool becomes a call, and a call always ends. These give a result with
/// `success: false`, whose metadata has `error_type` and `error_code`:
/// - the tool failed after all its retries;
/// - the arguments do not match the schema;
/// - the call was denied, or waits for approval;
/// - the call exceeded its time limit.
///
/// An error means that no tool was called.
/// [`AgentError::check_result`] turns such a result into an error.
#[async_trait]
pub trait ToolExecutor: fmt::Debug + Send + Sync {
    /// Runs a request and blocks the thread until it ends.
    ///
    /// # Errors
    /// Returns an error if the request names no tool, or a tool of another type, and on a thread of an
    /// async runtime, which must not be blocked.
    fn execute(&self, request: &ToolRequest) -> Result<ActResult, AgentError>;

    /// Runs a request.
    ///
    /// # Errors
    /// Returns an error if the request names no tool, or a tool of another type.
    async fn execute_async(&self, request: &ToolRequest) -> Result<ActResult, AgentError>;

    /// Returns whether a tool is registered under this id and may be called.
    fn validate_tool(&self, tool_id: &str) -> bool;
}

/// Runs an agent's requests through a runtime, for one context.
///
/// Each request becomes a call like any other: permissions, approval, idempotency keys, limits,
/// ledger and evidence hold for it.
///
/// # Which tool
/// | the request names | the call |
/// | --- | --- |
/// | a tool by `tool_id`, and by `function_name` the same name or its last part | that tool |
/// | a toolkit by `tool_id`, and a function of it | the tool `tool_id.function_name` |
/// | anything else | an error of the kind `ToolExecution`, with the closest names |
///
/// The type of a tool is what [`tool_type`](Self::tool_type) says of it or of its toolkit, or else its
/// category, where that is one of the types. A request with another type is an error of the kind
/// `Validation`; a tool without a type takes every request.
///
/// # Time and retries
/// `timeout_seconds` is the limit of all attempts together, from the start of the call; the tool's own
/// deadline and the context's `timeouts_ms` hold too, the latter for all calls of a batch together. `retry_config` replaces the retries of the tool's rules for this call:
/// writes that may not be repeated are not retried, and the budget of retries holds. Delays are at
/// most 10 seconds, and multipliers at most 10; `retries_limited` in the metadata says if a request
/// asked for more.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::agent::{RuntimeExecutor, ToolExecutor};
/// use tool_runtime::contracts::act::{ToolRequest, ToolType};
/// use tool_runtime::prelude::*;
///
/// /// Counts the open orders of a customer.
/// #[ai_tool(effect = "read", name = "orders.count")]
/// async fn count_orders(
///     /// The customer.
///     customer: String,
/// ) -> usize {
///     customer.len()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<CountOrdersTool>().build()?;
/// let executor = RuntimeExecutor::new(runtime, ToolContext::local())
///     .tool_type("orders", ToolType::DatabaseQuery);
///
/// let request = ToolRequest::builder("orders", ToolType::DatabaseQuery, "count")
///     .parameters(json!({"customer": "c-17"}))
///     .build()?;
/// let result = executor.execute_async(&request).await?;
/// assert_eq!((result.success(), result.to_text().as_str()), (true, "4"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RuntimeExecutor {
    runtime: Runtime,
    cx: ToolContext,
    types: ToolTypes,
    counter: Arc<dyn TokenCounter>,
    max_concurrent: usize,
    /// The deadline that all requests share.
    ends: Option<Instant>,
}

impl RuntimeExecutor {
    /// Creates an executor; its calls have this context, each with a new invocation id.
    #[must_use]
    pub fn new(runtime: Runtime, cx: ToolContext) -> Self {
        let counter = Arc::new(TokenEstimate);
        Self { runtime, cx, types: ToolTypes::new(), counter, max_concurrent: 5, ends: None }
    }

    /// Sets the type of a tool, or of all tools of a toolkit.
    #[must_use]
    pub fn tool_type(mut self, tool_or_toolkit: impl Into<String>, tool_type: ToolType) -> Self {
        self.types.insert(tool_or_toolkit.into(), tool_type);
        self
    }

    /// Sets the counter of tokens; estimated by default.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {
        Self { counter: Arc::new(counter), ..self }
    }

    /// Sets how many reads of [`execute_all`](Self::execute_all) run at once: 1 to 20, 5 by default.
    #[must_use]
    pub fn max_concurrent_tools(self, limit: usize) -> Self {
        Self { max_concurrent: limit.clamp(1, 20), ..self }
    }

    /// Returns the same executor for another context.
    #[must_use]
    pub fn with_context(&self, cx: ToolContext) -> Self {
        Self { cx, ..self.clone() }
    }

    /// Sets the deadline that all requests share, and that the wait for people counts against.
    pub(super) fn with_deadline(self, deadline: &Deadline) -> Self {
        Self { ends: deadline.ends(), ..self }
    }

    /// Runs requests: reads side by side, each write alone; the results are in the requests' order.
    ///
    /// It is [`Runtime::execute_all`] for requests: a call that needs approval delays no other.
    pub async fn execute_all(
        &self,
        requests: &[ToolRequest],
    ) -> Vec<Result<ActResult, AgentError>> {
        let opened: Vec<_> = requests.iter().map(|request| self.open(request)).collect();
        let mut calls = Vec::with_capacity(opened.len());
        let mut places = Vec::with_capacity(opened.len());
        for opened in opened {
            places.push(opened.map(|OpenedCall { call, retries_limited }| {
                calls.push(call);
                (calls.len() - 1, retries_limited)
            }));
        }
        drop(run_batch(&mut calls, self.max_concurrent, self.runtime.timer()).await);
        let results = places.into_iter().zip(requests).map(|(place, request)| {
            let (call, retries_limited) = place?;
            let output = calls[call].output().ok_or_else(not_executed)?;
            self.result(request, output, retries_limited, None)
        });
        results.collect()
    }

    /// Finds the tool of a request, and runs nothing.
    ///
    /// # Errors
    /// Returns an error if the request names no tool, or a tool of another type.
    pub fn check(&self, request: &ToolRequest) -> Result<(), AgentError> {
        resolve(&self.runtime, &self.types, request).map(|_| ())
    }

    fn open(&self, request: &ToolRequest) -> Result<OpenedCall, AgentError> {
        let spec = resolve(&self.runtime, &self.types, request)?;
        let cx = self.cx.with_invocation_id(Uuid::now_v7());
        let call = self.runtime.call(spec.name(), request.parameters(), &cx);
        let retries_limited = request.retry_config().is_some_and(RetryConfig::is_limited);
        if let Some(scope) = call.scope() {
            scope.set_requested_limits(RequestedLimits {
                retries: request.retry_config().copied(),
                timeout: Some(Duration::from_secs(request.timeout_seconds().into())),
                ends: self.ends,
                ..RequestedLimits::default()
            });
        }
        Ok(OpenedCall { call, retries_limited })
    }

    fn result(
        &self,
        request: &ToolRequest,
        output: &ToolOutput,
        retries_limited: bool,
        took: Option<Duration>,
    ) -> Result<ActResult, AgentError> {
        let decoded = output.decode::<Box<RawValue>, Box<RawValue>>().map_err(unreadable)?;
        let builder = ActResult::from_output(request.tool_id(), &decoded, Utc::now());
        // In a batch, only the envelope has the duration of one call.
        let builder = match took {
            Some(took) => builder.execution_time_ms(took.as_secs_f64() * 1e3),
            None => builder,
        };
        let builder =
            if retries_limited { builder.metadata("retries_limited", true) } else { builder };
        let text = builder.clone().build().map_err(unreadable)?.to_text();
        builder.token_estimate(self.counter.count(&text)).build().map_err(unreadable)
    }
}

/// A call that was opened for a request.
struct OpenedCall {
    call: ToolCall,
    /// True if the request asked for longer delays than the runtime has.
    retries_limited: bool,
}

#[async_trait]
impl ToolExecutor for RuntimeExecutor {
    fn execute(&self, request: &ToolRequest) -> Result<ActResult, AgentError> {
        block_on::block_on(self.execute_async(request))?
    }

    async fn execute_async(&self, request: &ToolRequest) -> Result<ActResult, AgentError> {
        let OpenedCall { mut call, retries_limited } = self.open(request)?;
        let started = Instant::now();
        let output = call.execute().await;
        self.result(request, output, retries_limited, Some(started.elapsed()))
    }

    fn validate_tool(&self, tool_id: &str) -> bool {
        is_known(&self.runtime, tool_id)
    }
}

impl fmt::Debug for RuntimeExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeExecutor")
            .field("runtime", &self.runtime)
            .field("types", &self.types)
            .finish_non_exhaustive()
    }
}

/// A batch ends with an output of each call, so that this does not happen.
fn not_executed() -> AgentError {
    AgentError::new(AgentErrorKind::ToolExecution, "the call was not executed")
}

/// The envelope is written by the runtime itself, so that this does not happen.
fn unreadable(error: impl fmt::Display) -> AgentError {
    AgentError::new(AgentErrorKind::Serialization, format!("the output cannot be read: {error}"))
}
