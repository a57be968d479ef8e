//! Tools with a scripted result for each run, and contexts of their callers.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::Instant;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::{FailureCode, RuntimeBuilder};

use crate::support::envelope;

/// The result of each run of a tool, by its number from 1, and the start of each run.
pub(crate) struct Script {
    act: Box<dyn Fn(u32) -> BoxFuture<'static, ScriptedResult> + Send + Sync>,
    begun: Mutex<Vec<Instant>>,
}

pub(crate) type ScriptedResult = Result<u32, ScriptedError>;

/// A failure, as a tool's error.
#[derive(Debug)]
pub(crate) struct ScriptedError(pub(crate) Failure);

impl fmt::Display for ScriptedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.message())
    }
}

impl std::error::Error for ScriptedError {}

impl ToolFailure for ScriptedError {
    fn failure(&self) -> Failure {
        self.0.clone()
    }

    fn codes() -> &'static [FailureCode] {
        &[]
    }
}

pub(crate) fn scripted_error(code: ErrorCode) -> ScriptedResult {
    Err(ScriptedError(Failure::from_code(code)))
}

/// Returns a transient failure.
pub(crate) fn busy() -> ScriptedResult {
    scripted_error(ErrorCode::Unavailable)
}

impl Script {
    pub(crate) fn new<F>(act: impl Fn(u32) -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = ScriptedResult> + Send + 'static,
    {
        let act = Box::new(move |run| act(run).boxed());
        Arc::new(Self { act, begun: Mutex::default() })
    }

    /// One whose runs end at once.
    pub(crate) fn quick(act: impl Fn(u32) -> ScriptedResult + Send + Sync + 'static) -> Arc<Self> {
        Self::new(move |run| std::future::ready(act(run)))
    }

    pub(crate) fn runs(&self) -> usize {
        self.begun.lock().unwrap().len()
    }

    /// Returns the times between the starts of the runs.
    pub(crate) fn pauses(&self) -> Vec<Duration> {
        let begun = self.begun.lock().unwrap();
        begun.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    pub(crate) async fn act(&self) -> ScriptedResult {
        let run = {
            let mut begun = self.begun.lock().unwrap();
            begun.push(Instant::now());
            u32::try_from(begun.len()).unwrap()
        };
        (self.act)(run).await
    }
}

/// Reads.
#[ai_tool(effect = "read")]
async fn peek(script: &Script) -> Result<u32, ScriptedError> {
    script.act().await
}

/// Reads too.
#[ai_tool(effect = "read")]
async fn look(script: &Script) -> Result<u32, ScriptedError> {
    script.act().await
}

/// Reads, but not for long.
#[ai_tool(effect = "read", timeout = "1s")]
async fn glance(script: &Script) -> Result<u32, ScriptedError> {
    script.act().await
}

/// Writes.
#[ai_tool(effect = "write")]
async fn put(script: &Script, dry_run: &DryRun) -> Result<u32, ScriptedError> {
    let _ = dry_run;
    script.act().await
}

/// Writes what may be written again.
#[ai_tool(effect = "write", idempotent)]
async fn set(script: &Script, dry_run: &DryRun) -> Result<u32, ScriptedError> {
    let _ = dry_run;
    script.act().await
}

/// A builder with all of these tools, which follow this script.
pub(crate) fn builder(script: &Arc<Script>) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<PeekTool>()
        .tool::<LookTool>()
        .tool::<GlanceTool>()
        .tool::<PutTool>()
        .tool::<SetTool>()
        .permission("put", Permission::Allow)
        .permission("set", Permission::Allow)
        .shared_state(script.clone())
}

/// A runtime with all of these tools and these rules.
pub(crate) fn runtime(script: &Arc<Script>, rules: ToolPolicy) -> Runtime {
    builder(script).policy(Policy::new().rules(rules)).build().expect("the runtime")
}

/// Returns the context of a user of the first tenant.
pub(crate) fn jane() -> ToolContext {
    user_context(1, "jane")
}

pub(crate) fn user_context(tenant: u128, user: &str) -> ToolContext {
    let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace-1").run_id("run-1");
    builder.user_id(user).build().expect("the context")
}

/// Calls without arguments and gives the whole envelope.
pub(crate) async fn call(runtime: &Runtime, tool: &str, cx: &ToolContext) -> Value {
    call_with(runtime, tool, "{}", cx).await
}

pub(crate) async fn call_with(
    runtime: &Runtime,
    tool: &str,
    arguments: &str,
    cx: &ToolContext,
) -> Value {
    envelope(runtime.call(tool, arguments, cx).execute().await)
}

/// Waits until every other task of this thread waits too, while time is paused.
pub(crate) async fn settle() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}
