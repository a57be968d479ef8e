//! The agent, and its configuration in code.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tool_contracts::ToolContext;
use tool_contracts::act::ToolType;
use tool_contracts::assess::CompressionStrategy;
use tool_contracts::proxy::{ProxyRequest, ProxyResponse};
use tool_runtime_core::runtime::Runtime;

use super::answer_cache::AnswerCache;
use super::config::AgentConfig;
use super::sessions::{MemorySessions, SessionStore};
use super::turn::RequestTurn;
use crate::assess::Assessor;
use crate::error::AgentError;
use crate::executor::RuntimeExecutor;
use crate::measured_model::MeasuredModel;
use crate::model::ChatModel;

/// Answers questions: runs the required tools, compresses their results and the history, asks a model
/// once, and says what it cost.
///
/// # Levels
/// | `optimization_level` | results | context |
/// | --- | --- | --- |
/// | 0 | compact JSON | whole |
/// | 1 | the same, tables in TOON where that is shorter | whole |
/// | 2 | the same | compressed to 0.35 of its tokens above `compression_threshold_tokens` |
/// | 3 | the same | compressed to 0.25 above a quarter of that threshold, then without nulls and links |
///
/// `enable_toon: false` writes results and the answer as at level 0, `enable_compression: false`
/// leaves the context whole at every level.
///
/// # The budget
/// A quarter of `max_total_tokens`, at most 4,096, is reserved for the answer. A context that does not
/// fit the rest is compressed harder, if it may be compressed: pruned to what fits, without links and
/// without fields that are null or empty (`compressed_harder` in its metadata). One that still does
/// not is refused with an error of the kind `Compression`, whose details have `max_total_tokens` and
/// `required_total_tokens`, the smallest total with which the same request is answered. Nothing is
/// cut off in silence.
///
/// # Failures
/// A required tool that fails is part of the context, so that the model can say so. A request that
/// names no tool, or a tool of another type, or has a fact `query` in its `user_context`, is an error
/// before any tool runs. All steps count
/// against one deadline, which the required tools share: their retries, the wait of one for another,
/// and the wait for an [`Approver`](tool_runtime_core::policy::Approver). A timeout belongs to the step that waited: of a tool it is a result, of a
/// summary the reason for pruning, of the model an error of the kind `Llm`. A panic of a compressor,
/// a summarizer or an embedder leaves the context as it is or pruned, that of a model's client is an
/// error of the kind `Llm`.
///
/// # Sessions and cache
/// The history of a `session_id` belongs to the tenant and the principal of the context
/// ([`SessionKey`](super::SessionKey)). In a context with neither a user nor an actor nothing is kept: a
/// `session_id` finds no history and leaves none (`session_kept: false` in the context's metadata), and
/// no answer is cached. With `enable_cache`, an answer is kept for `cache_ttl_seconds` under a hash of
/// tenant, principal, model, schema and the whole request to the model; tools run each time.
/// Answers that were cut off are not kept, and of the others the text, without the provider's own messages. `answer_cached` in the context's metadata says that an
/// answer came from the cache; its cost is 0.
#[derive(Clone)]
pub struct ProxyAgent {
    inner: Arc<AgentInner>,
}

/// The state that the requests of an agent share.
pub(super) struct AgentInner {
    pub(super) config: AgentConfig,
    pub(super) runtime: Runtime,
    pub(super) executor: RuntimeExecutor,
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) cache: Option<AnswerCache>,
    pub(super) instructions: Option<String>,
    pub(super) schema: Option<Value>,
    pub(super) assessor: Assessor,
    pub(super) strategy: Option<CompressionStrategy>,
}

/// Configures a [`ProxyAgent`].
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyAgentBuilder {
    config: AgentConfig,
    runtime: Runtime,
    executor: RuntimeExecutor,
    model: Arc<dyn ChatModel>,
    sessions: Arc<dyn SessionStore>,
    instructions: Option<String>,
    schema: Option<Value>,
    assessor: Assessor,
    strategy: Option<CompressionStrategy>,
}

impl ProxyAgentBuilder {
    /// Sets the type of a tool, or of all tools of a toolkit.
    pub fn tool_type(mut self, tool_or_toolkit: impl Into<String>, tool_type: ToolType) -> Self {
        self.executor = self.executor.tool_type(tool_or_toolkit, tool_type);
        self
    }

    /// Sets the instructions of every request: the persistent context.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the JSON Schema of every answer; without it an answer is a text.
    pub fn answer_schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Sets the store of sessions; [`MemorySessions`] by default.
    pub fn sessions(mut self, sessions: impl SessionStore + 'static) -> Self {
        self.sessions = Arc::new(sessions);
        self
    }

    /// Sets an assessor with compressors, a summarizer or an embedder of your own. The request replaces its
    /// options, counter and serializer; without a summarizer it gets the model of
    /// `student_summarizer_model`.
    pub fn assessor(mut self, assessor: Assessor) -> Self {
        self.assessor = assessor;
        self
    }

    /// Sets the strategy of every context that is compressed; by default it follows from the context, and
    /// is a pruning or a compaction, since each context has a question.
    ///
    /// Only [`CompressionStrategy::Distillation`] asks the model of `student_summarizer_model`: a summary
    /// is another request, which costs time and money, so that it is never made by itself.
    pub fn compression_strategy(mut self, strategy: CompressionStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Builds the agent.
    #[must_use]
    pub fn build(self) -> ProxyAgent {
        let ttl = Duration::from_secs(self.config.cache_ttl_seconds());
        let cache = self.config.enable_cache().then(|| AnswerCache::new(ttl));
        let limit = usize::try_from(self.config.max_concurrent_tools()).unwrap_or(usize::MAX);
        let inner = AgentInner {
            executor: self.executor.max_concurrent_tools(limit),
            model: measured(self.model, &self.config, &self.runtime),
            config: self.config,
            runtime: self.runtime,
            sessions: self.sessions,
            cache,
            instructions: self.instructions,
            schema: self.schema,
            assessor: self.assessor,
            strategy: self.strategy,
        };
        ProxyAgent { inner: Arc::new(inner) }
    }
}

impl fmt::Debug for ProxyAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyAgentBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}

impl ProxyAgent {
    /// Configures an agent: the tools of a runtime, and a model.
    pub fn builder(
        config: AgentConfig,
        runtime: Runtime,
        model: impl ChatModel + 'static,
    ) -> ProxyAgentBuilder {
        ProxyAgentBuilder {
            config,
            executor: RuntimeExecutor::new(runtime.clone(), ToolContext::local()),
            runtime,
            model: Arc::new(model),
            sessions: Arc::new(MemorySessions::new()),
            instructions: None,
            schema: None,
            assessor: Assessor::new(),
            strategy: None,
        }
    }

    /// Answers a question. Its tools run in this context.
    ///
    /// # Errors
    /// Returns an error if the request names no tool, its context does not fit, the model does not
    /// answer, or its answer breaks the schema; and if the session cannot be read or written.
    pub async fn answer(
        &self,
        request: &ProxyRequest,
        cx: &ToolContext,
    ) -> Result<ProxyResponse, AgentError> {
        RequestTurn::new(&self.inner, request, cx).answer().await
    }
}

/// Measures a model, if the configuration wants it.
fn measured(
    model: Arc<dyn ChatModel>,
    config: &AgentConfig,
    runtime: &Runtime,
) -> Arc<dyn ChatModel> {
    if config.enable_metrics() {
        Arc::new(MeasuredModel::new(model, runtime.clone(), config.model_names()))
    } else {
        model
    }
}

impl fmt::Debug for ProxyAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyAgent")
            .field("config", &self.inner.config)
            .field("model", &self.inner.model)
            .finish_non_exhaustive()
    }
}
