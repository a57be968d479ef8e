//! The steps of a request.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Utc;
use serde_json::Value;
use tool_contracts::ToolContext;
use tool_contracts::act::ActResult;
use tool_contracts::articulate::{
    OutputSerializer, SerializationFormat, SerializationRequest, SerializedOutput,
};
use tool_contracts::assess::{ChatMessage, ChatRole, ContextData, OptimizedContext};
use tool_contracts::proxy::{CostReport, LlmResponse, ProxyRequest, ProxyResponse};
use tool_runtime_core::policy::STORE_TIMEOUT;
use tool_runtime_core::store::StoreError;
use tool_runtime_core::tokens::{TokenCounter, counter_for_model};

use super::answer_cache;
use super::budget::{Optimization, TokenBudget};
use super::observer::{Observer, RequestStep, Steps};
use super::prices::ModelPrice;
use super::proxy_agent::AgentInner;
use super::sessions::SessionKey;
use crate::assess::COMPRESSION_COST;
use crate::deadline::{Deadline, chat_within};
use crate::error::{AgentError, AgentErrorKind, AgentErrorReason};
use crate::model::{ChatReply, ChatRequest, FinishReason, ModelMessage, TokenUsage};

/// The most messages of a session that become part of a context.
const MAX_HISTORY_MESSAGES: usize = 200;

/// A request while it is answered.
pub(super) struct RequestTurn<'t> {
    pub(super) agent: &'t AgentInner,
    request: &'t ProxyRequest,
    cx: &'t ToolContext,
    pub(super) model: &'t str,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) optimization: Optimization,
    pub(super) budget: TokenBudget,
    pub(super) session: Option<SessionKey>,
    /// The end of the request's time, against which every step counts.
    pub(super) deadline: Deadline,
    observer: Observer<'t>,
}

/// The answer of the model, or of the cache.
pub(super) struct ModelResponse {
    pub(super) reply: ChatReply,
    pub(super) content: Value,
    pub(super) is_cached: bool,
}

/// A request that was answered.
pub(super) struct CompletedRequest {
    pub(super) response: ProxyResponse,
    pub(super) answer: ModelResponse,
}

impl<'t> RequestTurn<'t> {
    pub(super) fn new(
        agent: &'t AgentInner,
        request: &'t ProxyRequest,
        cx: &'t ToolContext,
    ) -> Self {
        let model = request.target_model().unwrap_or(agent.config.default_model());
        let limit = Duration::from_secs(agent.config.request_timeout_seconds());
        let counter = counter_for_model(model);
        let schema = agent.schema.as_ref().map_or(0, |schema| counter.count(&schema.to_string()));
        Self {
            agent,
            request,
            cx,
            model,
            counter,
            optimization: Optimization::from_request(request),
            budget: TokenBudget::for_request(request, schema),
            session: request.session_id().and_then(|session| session_key(cx, session)),
            deadline: Deadline::after(&agent.runtime, Some(limit)),
            observer: Observer::new(&agent.config, &agent.runtime, model),
        }
    }

    pub(super) async fn answer(&self) -> Result<ProxyResponse, AgentError> {
        let started = Instant::now();
        let result = self.run(started).await;
        self.observer.ended(result.as_ref(), started.elapsed());
        result.map(|answered| answered.response)
    }

    async fn run(&self, started: Instant) -> Result<CompletedRequest, AgentError> {
        if self.request.user_context().contains_key(ContextData::QUERY) {
            let message =
                "`user_context` has a fact `query`, which is the name of the question; rename it";
            return Err(AgentError::new(AgentErrorKind::Validation, message));
        }
        let observer = &self.observer;
        let mut steps = Steps::new(observer);
        let results = steps.timed(RequestStep::Tools, self.run_tools()).await?;
        observer.tools_ran(&results, steps.took(RequestStep::Tools));
        let history = self.history().await?;
        let context = self.context(&results, history)?;
        let optimized = steps.timed(RequestStep::Context, self.optimize(&context)).await?;
        observer.context_optimized(&optimized, steps.took(RequestStep::Context));
        let answer = steps.timed(RequestStep::Model, self.ask_model(&optimized)).await?;
        let tokens = self.tokens(&optimized, &answer.reply);
        observer.model_answered(&answer, tokens, steps.took(RequestStep::Model));
        let written = async { self.serialize(&answer.content) };
        let result = steps.timed(RequestStep::Output, written).await?;
        observer.output_written(&result, steps.took(RequestStep::Output));
        self.remember(&answer.reply).await?;
        let cost = self.cost(&optimized, &answer, &result)?;
        let llm = self.llm_response(&optimized, &answer)?;
        let optimized = self.with_metadata(optimized, &answer)?;
        let response = ProxyResponse::builder(result, optimized, llm)
            .tool_results(results)
            .breakdown(
                steps.breakdown(started.elapsed()).map_err(|error| serialization_error(&error))?,
            )
            .cost_analysis(cost)
            .build()
            .map_err(|error| serialization_error(&error))?;
        Ok(CompletedRequest { response, answer })
    }

    /// Runs the required tools, after every request was found to name one.
    async fn run_tools(&self) -> Result<Vec<ActResult>, AgentError> {
        let executor = self.agent.executor.with_context(self.deadline.limit(self.cx.clone()));
        let executor = executor.with_deadline(&self.deadline).token_counter(self.counter.clone());
        for (index, tool) in self.request.required_tools().iter().enumerate() {
            executor.check(tool).map_err(|error| error.with_detail("required_tool", index))?;
        }
        let results = executor.execute_all(self.request.required_tools()).await;
        results.into_iter().collect()
    }

    async fn history(&self) -> Result<Vec<ChatMessage>, AgentError> {
        let Some(key) = &self.session else { return Ok(Vec::new()) };
        let loaded =
            self.call_store_in_time(self.agent.sessions.load(key, MAX_HISTORY_MESSAGES)).await;
        loaded.map_err(|error| {
            self.session_error("the history of the session cannot be read", &error)
        })
    }

    fn context(
        &self,
        results: &[ActResult],
        history: Vec<ChatMessage>,
    ) -> Result<ContextData, AgentError> {
        let mut builder = ContextData::builder()
            .tool_results(results.iter().cloned())
            .message_history(history)
            .max_tokens(self.budget.context_limit());
        for (name, value) in self.request.user_context() {
            builder = builder.transient(name.clone(), value.clone());
        }
        builder = builder.transient(ContextData::QUERY, self.request.query());
        if let Some(instructions) = &self.agent.instructions {
            builder = builder.persistent_context(instructions.clone());
        }
        if let Some(strategy) = self.agent.strategy {
            builder = builder.strategy(strategy);
        }
        builder.build().map_err(|error| serialization_error(&error))
    }

    async fn ask_model(&self, context: &OptimizedContext) -> Result<ModelResponse, AgentError> {
        let request = self.chat_request(context);
        let key = answer_cache::request_key(self.cx, &request);
        let cache = self.agent.cache.as_ref().zip(key);
        if let Some(reply) = cache.and_then(|(cache, key)| cache.get(&key, self.now())) {
            return self.model_response(reply, true);
        }
        let request = request.with_timeout(self.time_left());
        let reply = chat_within(&*self.agent.model, &request, None, &self.deadline).await??;
        let answer = self.model_response(reply, false)?;
        // An answer that was cut off, or breaks the schema, is not worth keeping.
        let is_complete = *answer.reply.finish_reason() == FinishReason::Stop;
        if let Some((cache, key)) = cache.filter(|_| is_complete) {
            cache.put(key, answer.reply.clone(), self.now());
        }
        Ok(answer)
    }

    fn model_response(
        &self,
        reply: ChatReply,
        is_cached: bool,
    ) -> Result<ModelResponse, AgentError> {
        let content = self.content(&reply)?;
        Ok(ModelResponse { reply, content, is_cached })
    }

    /// Writes the instructions as the system's message, and the rest as the user's.
    fn chat_request(&self, context: &OptimizedContext) -> ChatRequest {
        let text = context.optimized_text();
        let head = self.agent.instructions.as_ref().map(|it| format!("# Instructions\n{it}\n\n"));
        let body = head.as_deref().and_then(|head| text.strip_prefix(head));
        // A compressor of the host may have written other instructions.
        let system = self.agent.instructions.clone().filter(|_| body.is_some());
        let system = system.map(ModelMessage::System);
        let user = ModelMessage::User(body.unwrap_or(text).to_owned());
        let messages: Vec<_> = system.into_iter().chain([user]).collect();
        let request = ChatRequest::from_messages(messages)
            .with_model(self.model)
            .with_max_output_tokens(self.budget.output);
        match &self.agent.schema {
            Some(schema) => request.with_schema(schema.clone()),
            None => request,
        }
    }

    fn content(&self, reply: &ChatReply) -> Result<Value, AgentError> {
        match &self.agent.schema {
            Some(schema) => reply.structured(schema),
            None => Ok(Value::String(reply.text().to_owned())),
        }
    }

    fn serialize(&self, content: &Value) -> Result<SerializedOutput, AgentError> {
        let request = SerializationRequest::new(content);
        let request = if self.optimization.writes_toon {
            request
        } else {
            request.with_format(SerializationFormat::CompactJson)
        };
        self.articulator().serialize(&request).map_err(|error| serialization_error(&error))
    }

    async fn remember(&self, reply: &ChatReply) -> Result<(), AgentError> {
        let Some(key) = &self.session else { return Ok(()) };
        let message =
            |role, text: &str| ChatMessage::new(role, text, Utc::now(), self.counter.count(text));
        let question = message(ChatRole::User, self.request.query());
        let answered = message(ChatRole::Assistant, reply.text());
        let messages = question.and_then(|question| Ok(vec![question, answered?]));
        let messages = messages.map_err(|error| serialization_error(&error))?;
        let appended = self.call_store_in_time(self.agent.sessions.append(key, messages)).await;
        appended.map_err(|error| {
            self.session_error("the answer cannot be added to the session", &error)
        })
    }

    fn now(&self) -> Instant {
        self.agent.runtime.timer().now()
    }

    fn time_left(&self) -> Duration {
        self.deadline.left().unwrap_or(Duration::MAX)
    }

    /// Runs an operation of the store of sessions, which is foreign code: it may hang or panic.
    async fn call_store_in_time<T>(
        &self,
        operation: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.agent
            .runtime
            .policy_state()
            .stores
            .call(STORE_TIMEOUT.min(self.time_left()), operation)
            .await
    }

    /// The store's own message may name files, so that it goes to the log only.
    fn session_error(&self, message: &str, error: &StoreError) -> AgentError {
        self.observer.sessions_failed(error);
        AgentError::new(AgentErrorKind::Configuration, message)
            .with_reason(AgentErrorReason::SessionStore)
    }

    fn llm_response(
        &self,
        context: &OptimizedContext,
        answer: &ModelResponse,
    ) -> Result<LlmResponse, AgentError> {
        let reply = &answer.reply;
        let (input, output) = self.tokens(context, reply);
        LlmResponse::builder(reply.model(), answer.content.clone())
            .tokens(input, output)
            .latency_ms(reply.latency().as_secs_f64() * 1e3)
            .finish_reason(reply.finish_reason().as_str())
            .build()
            .map_err(|error| serialization_error(&error))
    }

    /// Returns the tokens as the provider counts them, or else as this process does.
    fn tokens(&self, context: &OptimizedContext, reply: &ChatReply) -> (u64, u64) {
        let usage = self.usage(context, reply);
        (usage.input_tokens, usage.output_tokens)
    }

    /// Returns the tokens, with the part that was read from the provider's cache; an estimate if none are
    /// reported.
    fn usage(&self, context: &OptimizedContext, reply: &ChatReply) -> TokenUsage {
        let estimated =
            || TokenUsage::new(context.optimized_tokens(), self.counter.count(reply.text()));
        reply.usage().unwrap_or_else(estimated)
    }

    /// Returns the prices of the model that was asked, and of the one that answered.
    fn prices(&self, reply: &ChatReply) -> (Option<ModelPrice>, Option<ModelPrice>) {
        let prices = self.agent.config.prices();
        let model_price = prices.price_for(self.model);
        (
            model_price,
            if reply.is_fallback() { prices.price_for(reply.model()) } else { model_price },
        )
    }

    /// Says in the metadata what the figures of the cost rest on, and what was not kept.
    fn with_metadata(
        &self,
        context: OptimizedContext,
        answer: &ModelResponse,
    ) -> Result<OptimizedContext, AgentError> {
        let usage = if answer.reply.usage().is_some() { "reported" } else { "estimated" };
        let mut marked = context.into_builder().metadata("token_usage", usage);
        if let (None, None) = self.prices(&answer.reply) {
            marked = marked.metadata("price", "unknown");
        }
        if self.request.session_id().is_some() && self.session.is_none() {
            marked = marked.metadata("session_kept", false);
        }
        if answer.is_cached {
            marked = marked.metadata("answer_cached", true);
        }
        marked.build().map_err(|error| serialization_error(&error))
    }

    fn cost(
        &self,
        context: &OptimizedContext,
        answer: &ModelResponse,
        result: &SerializedOutput,
    ) -> Result<CostReport, AgentError> {
        let (raw, optimized) = (context.original_tokens(), context.optimized_tokens());
        let usage = self.usage(context, &answer.reply);
        let (requested_price, answering_price) = self.prices(&answer.reply);
        // A cost of 0 for a model without a price would look like a saving.
        let cost =
            |price: Option<ModelPrice>, usage| price.map_or(0.0, |it| it.cost_of_usage(usage));
        let paid = cost(answering_price.or(requested_price), usage);
        let summaries = context.metadata().get(COMPRESSION_COST).and_then(Value::as_f64);
        let summaries = summaries.unwrap_or_default();
        let actual = if answer.is_cached { 0.0 } else { paid };
        // Messages that were left out would have been read at the full price.
        let left_out = raw.saturating_sub(optimized);
        let input_tokens = usage.input_tokens.saturating_add(left_out);
        let baseline =
            cost(requested_price.or(answering_price), TokenUsage { input_tokens, ..usage });
        #[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
        let output_ratio =
            result.optimized_tokens() as f64 / result.original_tokens().max(1) as f64;
        CostReport::builder()
            .input_tokens(raw, optimized)
            .output_tokens(usage.output_tokens)
            .costs(baseline, actual + summaries)
            .output_compression_ratio(output_ratio)
            .build()
            .map_err(|error| serialization_error(&error))
    }
}

/// Returns the key of a session; none in a context without a user and an actor, since all such contexts
/// of a tenant would share the session.
fn session_key(cx: &ToolContext, session: &str) -> Option<SessionKey> {
    Some(SessionKey::new(cx, session)).filter(|key| !key.principal().is_empty())
}

pub(super) fn serialization_error(error: &dyn fmt::Display) -> AgentError {
    AgentError::new(AgentErrorKind::Serialization, error.to_string())
}
