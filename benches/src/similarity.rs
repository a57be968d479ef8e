//! The similarity of shortened contexts to the whole ones, by the vectors of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tool_runtime::agent::OpenAiEmbedder;
use tool_runtime::assess::{
    AssessOptions, Assessor, CompressionError, ContextCompressor, Embedder,
};
use tool_runtime::contracts::assess::{CompressionMethod, CompressionStrategy, ContextData};
use tool_runtime::tokens::{TokenCounter, TokenEstimate};

use crate::retention::{Conversation, Found, METHODS, Method, read};

const RATIO: f64 = 0.35;

/// Prints for each method how similar its texts are to the conversations, and how many gold answers
/// they have.
///
/// # Errors
/// Returns an error if a file cannot be read or is not of this form, or the server does not answer.
pub fn figures(base_url: &str, model: &str, files: &[&str]) -> Result<(), String> {
    let files = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let embedder = OpenAiEmbedder::builder(base_url, model)
        .timeout(Duration::from_secs(600))
        .build_embedder()
        .map_err(|error| error.to_string())?;
    let embedder = KnownVectors { embedder, known: Arc::default() };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    println!("{:<34}{:>8}{:>12}", "", "gold", "similarity");
    let mut last = Vec::new();
    for (name, method) in METHODS {
        let mut found = Found::default();
        let mut similarities = Vec::new();
        for file in &files {
            let original = TokenEstimate.count(&file.text());
            found
                .look_for_answers(file, |question| method.shorten(file, question, RATIO, original));
            let similar = similarities_of(&embedder, file, method, original);
            similarities.extend(runtime.block_on(similar)?);
        }
        let (_, gold, _) = found.shares();
        #[allow(clippy::cast_precision_loss, reason = "a count of texts")]
        let mean = similarities.iter().sum::<f64>() / similarities.len() as f64;
        println!("{name:<34}{gold:>8.3}{mean:>12.3}");
        last.push(format!("{}={mean:.3}", name.replace([' ', ',', ':', '-'], "_")));
    }
    println!("similarity: {}", last.join(" "));
    Ok(())
}

/// Returns the similarities of the texts that a method leaves for each question, as an assessor
/// computes them: texts are embedded in pieces that a model takes.
async fn similarities_of(
    embedder: &KnownVectors,
    file: &Conversation,
    method: Method,
    original: u64,
) -> Result<Vec<f64>, String> {
    let context = ContextData::builder()
        .message_history(file.messages())
        .strategy(CompressionStrategy::SemanticPruning)
        .build()
        .expect("the context has the default size");
    let mut texts: Vec<String> =
        file.questions().map(|question| method.shorten(file, question, RATIO, original)).collect();
    texts.dedup();
    let mut similarities = Vec::new();
    for text in texts {
        let options = AssessOptions::default().with_threshold_tokens(0);
        let assessor = Assessor::new().options(options);
        let assessor = assessor.embedder(embedder.clone()).compressor(Shortened(text));
        let optimized = assessor.optimize(&context).await;
        let reason = || format!("no similarity: {:?}", optimized.metadata());
        similarities.push(optimized.semantic_similarity_score().ok_or_else(reason)?);
    }
    Ok(similarities)
}

/// Gives a text that was shortened before.
#[derive(Debug)]
struct Shortened(String);

#[async_trait]
impl ContextCompressor for Shortened {
    fn method(&self) -> CompressionMethod {
        CompressionMethod::SemanticPruning
    }

    async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
        Ok(self.0.clone())
    }
}

/// Asks the server for each piece of a text once: all texts are compared with the same conversation.
#[derive(Debug, Clone)]
struct KnownVectors {
    embedder: OpenAiEmbedder,
    known: Arc<Mutex<HashMap<String, Vec<f32>>>>,
}

impl KnownVectors {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Vec<f32>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Embedder for KnownVectors {
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError> {
        let mut new = texts.to_vec();
        new.retain(|text| !self.known().contains_key(*text));
        if !new.is_empty() {
            let vectors = self.embedder.embed(&new).await?;
            self.known().extend(new.iter().map(|&text| text.to_owned()).zip(vectors));
        }
        let known = self.known();
        Ok(texts.iter().filter_map(|text| known.get(*text).cloned()).collect())
    }
}
