//! The similarity of shortened contexts to the whole ones, by the vectors of a server.

use std::time::Duration;

use tool_runtime::agent::OpenAiEmbedder;
use tool_runtime::assess::Embedder;
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

/// Returns the similarities of the texts that a method leaves for each question.
async fn similarities_of(
    embedder: &OpenAiEmbedder,
    file: &Conversation,
    method: Method,
    original: u64,
) -> Result<Vec<f64>, String> {
    let whole = file.text();
    let mut texts: Vec<String> =
        file.questions().map(|question| method.shorten(file, question, RATIO, original)).collect();
    texts.dedup();
    let mut similarities = Vec::new();
    for text in &texts {
        let vectors = embedder.embed(&[&whole, text]).await.map_err(|error| error.to_string())?;
        similarities.push(cosine(&vectors[0], &vectors[1]));
    }
    Ok(similarities)
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    };
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}
