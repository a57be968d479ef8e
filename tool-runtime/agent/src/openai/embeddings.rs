//! Vectors of texts, from a server's `/embeddings`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use tool_runtime_schema::json::normalized;

use super::builder::OpenAiBuilder;
use super::endpoint::{AttemptedModel, FailedAttempt, ProviderEndpoint, timed_out, unreadable};
use crate::assess::{CompressionError, Embedder};

/// Computes vectors of texts by the embeddings API of OpenAI, which many servers have.
///
/// ```no_run
/// use tool_runtime::agent::OpenAiEmbedder;
/// use tool_runtime::assess::Assessor;
///
/// let embedder = OpenAiEmbedder::builder("http://127.0.0.1:8080/v1", "nano-e5").build_embedder()?;
/// let assessor = Assessor::new().embedder(embedder);
/// # let _ = assessor;
/// # Ok::<(), tool_runtime::agent::AgentError>(())
/// ```
#[derive(Clone)]
pub struct OpenAiEmbedder {
    endpoint: Arc<ProviderEndpoint>,
}

/// A response of the endpoint.
#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

impl OpenAiEmbedder {
    /// Configures a client: the base URL, such as `http://127.0.0.1:8080/v1`, and the model.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(base_url.into(), model.into())
    }

    pub(super) fn new(endpoint: Arc<ProviderEndpoint>) -> Self {
        Self { endpoint }
    }

    async fn fetch(&self, model: &str, texts: &[&str]) -> Result<Vec<Vec<f32>>, FailedAttempt> {
        let body = normalized(json!({"model": model, "input": texts, "encoding_format": "float"}));
        let text = self.endpoint.fetch(body.to_string()).await?;
        let response: Result<Embeddings, _> = serde_json::from_str(&text);
        let mut data = response.map_err(|_| unreadable("expected `data` with embeddings"))?.data;
        data.sort_by_key(|embedding| embedding.index);
        let vectors: Vec<_> = data.into_iter().map(|embedding| embedding.embedding).collect();
        if vectors.len() == texts.len() {
            Ok(vectors)
        } else {
            Err(unreadable("expected one embedding for each text"))
        }
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError> {
        let limit = self.endpoint.attempt_limit(None);
        let attempt = |model: AttemptedModel| async move {
            let fetched = tokio::time::timeout(limit, self.fetch(&model.name, texts)).await;
            fetched.unwrap_or_else(|_| Err(timed_out()))
        };
        let vectors = self.endpoint.with_retries(None, None, attempt).await;
        vectors.map_err(|error| CompressionError::new(error.message()))
    }
}

/// Shows the URL and the model, never the key.
impl fmt::Debug for OpenAiEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiEmbedder")
            .field("url", &self.endpoint.url.as_str())
            .field("model", &self.endpoint.settings.model)
            .finish_non_exhaustive()
    }
}
