//! Measures the calls of a chat model.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_runtime_core::metrics::names::OTHER;
use tool_runtime_core::metrics::table::{MODEL_TIMES, MODEL_TOKENS};
use tool_runtime_core::metrics::{AttributeValue, CallMetrics, UNKNOWN};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::Attachment;

use super::error::{AgentError, AgentErrorReason};
use super::model::{ChatModel, ChatReply, ChatRequest, OnText, TokenUsage};

/// A chat model whose calls are measured by the metrics of a runtime, once it has any.
#[derive(Debug, Clone)]
pub(super) struct MeasuredModel {
    model: Arc<dyn ChatModel>,
    runtime: Runtime,
    names: BTreeSet<Arc<str>>,
}

impl MeasuredModel {
    /// Measures a model; requests of other models than the named ones count as unknown.
    pub(super) fn new<'n>(
        model: Arc<dyn ChatModel>,
        runtime: Runtime,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        Self { model, runtime, names: names.into_iter().map(Arc::from).collect() }
    }

    fn start<'c>(&'c self, request: &'c ChatRequest) -> StartedCall<'c> {
        StartedCall { measured: self, request, started: Instant::now(), has_ended: false }
    }

    fn measure(
        &self,
        request: &ChatRequest,
        took: Duration,
        code: Option<&'static str>,
        usage: Option<TokenUsage>,
    ) {
        let metrics = self.runtime.services().dispatcher.metrics();
        let Some(to) = metrics.map(CallMetrics::recorder) else { return };
        let name = request.model().unwrap_or_default();
        let configured_name = self.names.get(name).filter(|name| to.admits_name(name));
        let (label, model) = match configured_name {
            Some(name) => (&**name, AttributeValue::Shared(name)),
            None => (UNKNOWN, OTHER.into()),
        };
        let (chat, provider) = (AttributeValue::Text(CHAT), provider(name).into());
        let times = to.series(&MODEL_TIMES, [label, code.unwrap_or_default()]);
        times.record(took, &[chat, provider, model, code.into()]);
        for (kind, count) in usage.into_iter().flat_map(by_type) {
            let tokens = to.series(&MODEL_TOKENS, [label, kind]);
            tokens.record_count(count, &[chat, provider, kind.into(), model]);
        }
    }
}

/// A call of a model. One that is dropped before its end, at a deadline or by a panic, is measured too.
struct StartedCall<'c> {
    measured: &'c MeasuredModel,
    request: &'c ChatRequest,
    started: Instant,
    has_ended: bool,
}

impl StartedCall<'_> {
    fn end(mut self, end: Result<&ChatReply, &AgentError>) {
        self.has_ended = true;
        let usage = end.ok().and_then(ChatReply::usage);
        let took = self.started.elapsed();
        self.measured.measure(self.request, took, end.err().map(code), usage);
    }
}

impl Drop for StartedCall<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.measured.measure(self.request, self.started.elapsed(), Some(CANCELLED), None);
        }
    }
}

#[async_trait]
impl ChatModel for MeasuredModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let call = self.start(request);
        let end = self.model.chat(request).await;
        call.end(end.as_ref());
        end
    }

    fn accepts(&self, attachment: &Attachment) -> bool {
        self.model.accepts(attachment)
    }

    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {
        let call = self.start(request);
        let end = self.model.chat_streamed(request, on_text).await;
        call.end(end.as_ref());
        end
    }
}

/// The providers of OpenTelemetry's conventions, by the names that `LiteLLM` writes before a model's.
const PROVIDERS: [(&str, &str); 15] = [
    ("anthropic", "anthropic"),
    ("azure", "azure.ai.openai"),
    ("azure_ai", "azure.ai.inference"),
    ("bedrock", "aws.bedrock"),
    ("cohere", "cohere"),
    ("deepseek", "deepseek"),
    ("gemini", "gcp.gemini"),
    ("groq", "groq"),
    ("mistral", "mistral_ai"),
    ("moonshot", "moonshot_ai"),
    ("openai", "openai"),
    ("perplexity", "perplexity"),
    ("vertex_ai", "gcp.vertex_ai"),
    ("watsonx", "ibm.watsonx.ai"),
    ("xai", "x_ai"),
];

/// Returns the provider of a model such as `openai/gpt-4o`.
fn provider(model: &str) -> &'static str {
    let prefix = model.split_once('/').map(|(prefix, _)| prefix);
    let provider_entry = PROVIDERS.iter().find(|(name, _)| prefix == Some(*name));
    provider_entry.map_or(OTHER, |(_, provider)| provider)
}

/// The operation of all calls of models.
const CHAT: &str = "chat";

/// The code of a call that was given up, or whose client panicked.
const CANCELLED: &str = "cancelled";

/// Returns the reason of a model's server; another failure is counted by its kind.
fn code(error: &AgentError) -> &'static str {
    let reason = error.reason().filter(|reason| reason.is_of_model_server());
    reason.map_or(error.kind().as_str(), AgentErrorReason::as_str)
}

/// Returns the tokens by their type, as the provider counts them.
fn by_type(usage: TokenUsage) -> [(&'static str, u64); 2] {
    [("input", usage.input_tokens), ("output", usage.output_tokens)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentErrorKind;

    #[test]
    fn providers_and_failures_have_few_names() {
        let found = ["openai/gpt-4o", "gemini/x/y", "gpt-4o", "acme/x", ""].map(provider);
        assert_eq!(found, ["openai", "gcp.gemini", OTHER, OTHER, OTHER]);
        let failed = |reason: &str| {
            code(&AgentError::new(AgentErrorKind::Llm, "it failed").with_detail("reason", reason))
        };
        assert_eq!((failed("timeout"), failed("hunter2")), ("timeout", "llm"));
    }
}
