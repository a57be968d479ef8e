//! Tools that are defined at run time: a name, schemas, a closure over raw JSON.

use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tool_contracts::{Effect, ToolkitSpec};

use super::compiled::CompiledTool;
use super::tool_settings::ToolSettings;
use crate::failure::{Failure, LoggedFailure};
use crate::tool::{BuildError, CallScope, Finished, Reconciled, ToolFuture};

pub(crate) type Handler = Arc<dyn Fn(CallScope) -> ToolFuture + Send + Sync>;

/// A tool that is defined at run time; it behaves like any other.
///
/// Arguments are checked against `input_schema` before the closure is called, and outputs against
/// `output_schema`, if there is one, before they are returned.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shout = DynamicTool::new("text.shout", Effect::Read)
///     .description("Says it louder.")
///     .input_schema(json!({
///         "type": "object",
///         "properties": { "text": { "type": "string", "maxLength": 80 } },
///         "required": ["text"],
///         "additionalProperties": false,
///     }))
///     .handler(|call: CallScope| async move {
///         let arguments: serde_json::Value = call.parse()?;
///         let text = arguments["text"].as_str().unwrap_or_default();
///         Ok::<_, Failure>(text.to_uppercase())
///     });
///
/// let runtime = Runtime::builder().dynamic(shout).build()?;
/// let cx = ToolContext::local();
/// let mut call = runtime.call("text.shout", r#"{"text":"tea"}"#, &cx);
/// assert_eq!(call.execute().await.data_json(), Some(r#""TEA""#));
/// # Ok(())
/// # }
/// ```
#[allow(clippy::struct_excessive_bools, reason = "each is one property of the contract")]
pub struct DynamicTool {
    pub(super) name: String,
    pub(super) effect: Effect,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    pub(super) description: String,
    pub(super) category: Option<String>,
    pub(super) toolkit: Option<ToolkitSpec>,
    pub(super) idempotent: bool,
    pub(super) open_world: bool,
    pub(super) requires_auth: bool,
    pub(super) ai_callable: bool,
    pub(super) ttl: Option<Duration>,
    pub(super) timeout: Option<Duration>,
    pub(super) input_schema: Option<Value>,
    pub(super) examples: Vec<Value>,
    pub(super) output_schema: Option<Value>,
    pub(super) handler: Option<Handler>,
    pub(super) preview: Option<Handler>,
    pub(super) handles_dry_run: bool,
    pub(super) reconcile: Option<Handler>,
    pub(super) forwards_key: bool,
    pub(super) takes_transaction: bool,
    pub(super) retention: Option<Duration>,
    pub(super) shared: bool,
    pub(super) evidence: bool,
    pub(super) requires_evidence: bool,
    pub(super) open: bool,
    pub(super) keeps_wide_numbers: bool,
}

impl DynamicTool {
    /// Creates a tool; a description, an input schema and a handler are required.
    #[must_use]
    pub fn new(name: impl Into<String>, effect: Effect) -> Self {
        Self {
            name: name.into(),
            effect,
            title: None,
            version: None,
            description: String::new(),
            category: None,
            toolkit: None,
            idempotent: false,
            open_world: false,
            requires_auth: true,
            ai_callable: true,
            ttl: None,
            timeout: None,
            input_schema: None,
            examples: Vec::new(),
            output_schema: None,
            handler: None,
            preview: None,
            handles_dry_run: false,
            reconcile: None,
            forwards_key: false,
            takes_transaction: false,
            retention: None,
            shared: false,
            evidence: false,
            requires_evidence: false,
            open: false,
            keeps_wide_numbers: false,
        }
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the description, by which a model chooses the tool.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the version (`major.minor.patch`). Default: `0.0.0`.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// Sets the tool's toolkit; the tool's name must begin with the toolkit's name and a dot.
    ///
    /// ```
    /// use tool_runtime::contracts::ToolkitSpec;
    /// use tool_runtime::prelude::*;
    ///
    /// let files = ToolkitSpec::new("files", "Reads and writes the files of a workspace.")?;
    /// let read = DynamicTool::new("files.read", Effect::Read).toolkit(files.clone());
    /// let write = DynamicTool::new("files.write", Effect::Write).toolkit(files);
    /// # let _ = (read, write);
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn toolkit(mut self, toolkit: ToolkitSpec) -> Self {
        self.toolkit = Some(toolkit);
        self
    }

    /// Declares that repeating a write has no further effect.
    #[must_use]
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// Declares that the tool accesses systems beyond the host's own.
    #[must_use]
    pub fn open_world(mut self, open_world: bool) -> Self {
        self.open_world = open_world;
        self
    }

    /// Sets whether callers must be authenticated. Default: true.
    #[must_use]
    pub fn requires_auth(mut self, requires_auth: bool) -> Self {
        self.requires_auth = requires_auth;
        self
    }

    /// Sets whether models may call the tool. Default: true.
    #[must_use]
    pub fn ai_callable(mut self, ai_callable: bool) -> Self {
        self.ai_callable = ai_callable;
        self
    }

    /// Sets how long an output may be cached, rounded up to whole seconds. Reads only.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Sets the tool's deadline. Default: the runtime's timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the JSON Schema of the arguments: an object schema, with `"type": "object"`.
    ///
    /// If it does not restrict unknown fields (`additionalProperties`), they are rejected, as for
    /// every other tool; see [`admit_unknown_fields`](Self::admit_unknown_fields).
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// Adds an example of all arguments, by which a model sees how they are written.
    ///
    /// `build()` and [`check`](Self::check) hold it to the input schema.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::prelude::*;
    ///
    /// let find = DynamicTool::new("find", Effect::Read)
    ///     .description("Finds pages.")
    ///     .input_schema(json!({"type": "object", "properties": {"query": {"type": "string"}}}))
    ///     .input_example(json!({"query": "tea"}))
    ///     .handler(|_| async { Ok::<_, Failure>(()) });
    /// assert!(find.check().is_ok());
    /// assert!(find.input_example(json!({"query": 3})).check().is_err());
    /// ```
    #[must_use]
    pub fn input_example(mut self, example: Value) -> Self {
        self.examples.push(example);
        self
    }

    /// Accepts unknown fields where the input schema does not restrict them, as in JSON Schema.
    #[must_use]
    pub fn admit_unknown_fields(mut self) -> Self {
        self.open = true;
        self
    }

    /// Keeps numbers of outputs that 64 bits do not represent exactly. They are returned as the handler
    /// writes them, and have to be finite as 64-bit floats.
    #[must_use]
    pub fn keep_wide_numbers(mut self) -> Self {
        self.keeps_wide_numbers = true;
        self
    }

    /// Sets the JSON Schema of the output; an invalid output is not returned.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Checks the tool by itself, as `build()` does.
    ///
    /// One tool that cannot be used fails the build of a runtime, unless it is added by
    /// [`RuntimeBuilder::dynamic_if_valid`](crate::RuntimeBuilder::dynamic_if_valid).
    ///
    /// # Errors
    /// Every problem of the tool at once: something that it lacks, a schema that cannot be checked,
    /// an invalid contract.
    pub fn check(&self) -> Result<(), BuildError> {
        let checked = CompiledTool::from_dynamic(self, &ToolSettings::default());
        checked.map(drop).map_err(|problems| BuildError { problems })
    }

    /// Sets the handler.
    #[must_use]
    pub fn handler<F, R, O, E>(mut self, handler: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {
        self.handler = Some(asynchronous(handler));
        self
    }

    /// Sets the handler to a synchronous closure that does not block.
    #[must_use]
    pub fn sync_handler<F, O, E>(self, handler: F) -> Self
    where
        F: Fn(&CallScope) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + Send + 'static,
    {
        self.handler(move |call| ready(handler(&call)))
    }

    /// Sets the handler to a blocking closure, which runs on a blocking thread.
    #[must_use]
    pub fn blocking_handler<F, O, E>(mut self, handler: F) -> Self
    where
        F: Fn(&CallScope) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize,
        E: Into<Failure>,
    {
        let handler = Arc::new(handler);
        self.handler = Some(Arc::new(move |call| {
            let handler = handler.clone();
            Box::pin(async move {
                call.gate().await;
                call.run_blocking(move |call| finish(call, handler(call))).await
            })
        }));
        self
    }

    /// Sets the handler of dry runs. Writes only.
    #[must_use]
    pub fn preview<F, R, O, E>(mut self, preview: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {
        self.preview = Some(asynchronous(preview));
        self
    }

    /// Declares that the handler itself checks [`CallScope::dry_run`]. Writes only.
    #[must_use]
    pub fn handles_dry_run(mut self) -> Self {
        self.handles_dry_run = true;
        self
    }

    /// Sets the reconciliation: called before the handler runs again under an idempotency key, to
    /// find the outcome of an earlier run with an unknown outcome. Writes only.
    #[must_use]
    pub fn reconcile<F, R, O, E>(mut self, reconcile: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reconciled<O>, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {
        let reconcile = Arc::new(reconcile);
        self.reconcile = Some(Arc::new(move |call: CallScope| {
            let reconcile = reconcile.clone();
            Box::pin(async move {
                call.gate().await;
                match reconcile(call.clone()).await {
                    Ok(found) => call.reconciled(&found),
                    Err(error) => call.failed(LoggedFailure::plain(error.into())),
                }
            })
        }));
        self
    }

    /// Declares that the handler forwards the idempotency key to a service that enforces it, so
    /// that it may run again under the same key after any earlier run. Writes only.
    #[must_use]
    pub fn forwards_key(mut self) -> Self {
        self.forwards_key = true;
        self
    }

    /// Declares that the handler has its effect in a transaction of the store, which it takes by
    /// [`CallScope::transaction`]. Writes only.
    ///
    /// The effect is committed with the answer, and undone if there is none; so the call is run again after a crash.
    #[must_use]
    pub fn takes_transaction(mut self) -> Self {
        self.takes_transaction = true;
        self
    }

    /// Sets how long an output is kept under its idempotency key: at least a day. Writes only.
    #[must_use]
    pub fn retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Declares that a cached output (`ttl`) is valid for every user of a tenant, not only for the
    /// user of the original call.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Stores evidence for each output: a snapshot that proves what was returned. If it cannot be
    /// stored, the output is returned with a warning.
    #[must_use]
    pub fn evidence(mut self) -> Self {
        self.evidence = true;
        self
    }

    /// Stores evidence for each output, and withholds an output whose evidence cannot be stored:
    /// `#[ai_tool(evidence = "required")]`.
    #[must_use]
    pub fn evidence_required(mut self) -> Self {
        (self.evidence, self.requires_evidence) = (true, true);
        self
    }
}

fn asynchronous<F, R, O, E>(handler: F) -> Handler
where
    F: Fn(CallScope) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, E>> + Send + 'static,
    O: Serialize,
    E: Into<Failure>,
{
    let handler = Arc::new(handler);
    Arc::new(move |call| {
        let handler = handler.clone();
        Box::pin(async move {
            call.gate().await;
            let result = handler(call.clone()).await;
            finish(&call, result)
        })
    })
}

fn finish<O: Serialize, E: Into<Failure>>(call: &CallScope, result: Result<O, E>) -> Finished {
    match result {
        Ok(answer) => call.succeeded(&answer),
        Err(error) => call.failed(LoggedFailure::plain(error.into())),
    }
}

impl fmt::Debug for DynamicTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool")
            .field("name", &self.name)
            .field("effect", &self.effect)
            .finish_non_exhaustive()
    }
}
