//! Measures the calls of a chat model.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::Value;

use super::error::AgentError;
use super::model::{ChatModel, ChatReply, ChatRequest, OnText, TokenUsage};
use crate::metrics::names::OTHER;
use crate::metrics::{CallMetrics, EndedModelCall};
use crate::runtime::Runtime;

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

    fn measure(&self, request: &ChatRequest, took: Duration, end: Result<&ChatReply, &AgentError>) {
        let Some(metrics) = self.runtime.services().dispatcher.metrics() else { return };
        let model = request.model().unwrap_or_default();
        let usage = end.ok().and_then(ChatReply::usage);
        CallMetrics::agents(metrics).model_call_ended(&EndedModelCall {
            model: self.names.get(model),
            provider: provider(model),
            code: end.err().map(code),
            took,
            tokens: usage.map(by_type).unwrap_or_default(),
        });
    }
}

#[async_trait]
impl ChatModel for MeasuredModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let started = Instant::now();
        let end = self.model.chat(request).await;
        self.measure(request, started.elapsed(), end.as_ref());
        end
    }

    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {
        let started = Instant::now();
        let end = self.model.chat_streamed(request, on_text).await;
        self.measure(request, started.elapsed(), end.as_ref());
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
    let known = PROVIDERS.iter().find(|(name, _)| prefix == Some(*name));
    known.map_or(OTHER, |(_, provider)| provider)
}

/// The reasons of failures that `OpenAiModel` names; another failure is counted by its kind.
const REASONS: [&str; 8] = [
    "connection",
    "invalid_request",
    "not_found",
    "rate_limited",
    "timeout",
    "unauthorized",
    "unavailable",
    "unreadable",
];

fn code(error: &AgentError) -> &'static str {
    let reason = error.details().get("reason").and_then(Value::as_str);
    let known = REASONS.into_iter().find(|known| reason == Some(known));
    known.unwrap_or(error.kind().as_str())
}

fn by_type(usage: TokenUsage) -> Vec<(&'static str, u64)> {
    vec![("input", usage.input_tokens), ("output", usage.output_tokens)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentErrorKind;

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
