//! The similarity of two texts, by words alone or by vectors of an embedder.

use tool_runtime_core::tokens::TokenCounter;

use super::manager::{CompressionError, Embedder};
use super::passages::short_pieces;

/// The buckets of words; more texts than one word fall into one of them.
const WORD_BUCKETS: usize = 2_048;
/// The longest piece that is embedded, in bytes; small models take 512 tokens.
const MAX_PIECE_BYTES: usize = 1_000;
/// The most pieces of one request.
const PIECES_PER_REQUEST: usize = 64;

/// Returns the cosine of the counts of words: 0 to 1.
///
/// It does not tell a good summary from a bad one; the retention of identifiers does.
pub(super) fn lexical(one: &str, other: &str) -> f64 {
    cosine(&counts(one), &counts(other))
}

/// Returns the cosine of the vectors of an embedder, limited to 0 to 1.
///
/// Models take a few hundred to a few thousand tokens, so that a text is embedded in pieces; its vector
/// is their mean, each weighted by its tokens.
pub(super) async fn embedded(
    embedder: &dyn Embedder,
    counter: &dyn TokenCounter,
    one: &str,
    other: &str,
) -> Result<f64, CompressionError> {
    let one = mean_vector(embedder, counter, one).await?;
    let other = mean_vector(embedder, counter, other).await?;
    if one.len() != other.len() || one.is_empty() {
        return Err(unequal_vectors());
    }
    Ok(cosine(&one, &other).clamp(0.0, 1.0))
}

async fn mean_vector(
    embedder: &dyn Embedder,
    counter: &dyn TokenCounter,
    text: &str,
) -> Result<Vec<f64>, CompressionError> {
    let mut sum: Vec<f64> = Vec::new();
    for pieces in short_pieces(text, MAX_PIECE_BYTES).chunks(PIECES_PER_REQUEST) {
        let vectors = embedder.embed(pieces).await?;
        if vectors.len() != pieces.len() {
            return Err(unequal_vectors());
        }
        for (piece, vector) in pieces.iter().zip(vectors) {
            if sum.is_empty() {
                sum = vec![0.0; vector.len()];
            }
            if sum.len() != vector.len() {
                return Err(unequal_vectors());
            }
            #[allow(clippy::cast_precision_loss, reason = "a piece has few tokens")]
            let weight = counter.count(piece).max(1) as f64;
            for (sum, value) in sum.iter_mut().zip(vector) {
                *sum += weight * f64::from(value);
            }
        }
    }
    Ok(sum)
}

fn unequal_vectors() -> CompressionError {
    CompressionError::new("expected one vector for each text, all of the same length")
}

fn counts(text: &str) -> Vec<f64> {
    let mut counts = vec![0.0; WORD_BUCKETS];
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        if !word.is_empty() {
            counts[bucket(word)] += 1.0;
        }
    }
    counts
}

/// Hashes a word without its case (FNV-1a).
fn bucket(word: &str) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash >> 32).unwrap_or_default() % WORD_BUCKETS
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let product = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    };
    let lengths = product(one, one).sqrt() * product(other, other).sqrt();
    if lengths > 0.0 { (product(one, other) / lengths).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_and_other_words_are_not() {
        assert!((lexical("Green tea, black TEA", "tea green black tea") - 1.0).abs() < 1e-9);
        assert!(lexical("green tea", "red wine") < 1e-9);
        assert!(lexical("", "tea").abs() < 1e-9);
    }

    /// Knows two directions, tea and wine, and takes no more than a limit.
    #[derive(Debug)]
    struct Short(usize);

    #[async_trait::async_trait]
    impl Embedder for Short {
        async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError> {
            if texts.len() > self.0 || texts.iter().any(|text| text.len() > 2_000) {
                return Err(CompressionError::new("the input is too long"));
            }
            let direction = |text: &&str| vec![f32::from(text.contains("tea")), 1.0];
            Ok(texts.iter().map(direction).collect())
        }
    }

    #[test]
    fn long_texts_are_embedded_in_pieces_that_a_model_takes() {
        use futures::FutureExt;
        let similarity = |one: &str, other: &str| {
            let result =
                embedded(&Short(128), &tool_runtime_core::tokens::TokenEstimate, one, other);
            result.now_or_never().expect("it does not wait").expect("vectors")
        };
        let tea = "The tea is green. ".repeat(20_000);
        let wine = "The wine is red. ".repeat(20_000);
        assert!(similarity(&tea, "tea") > 0.999);
        assert!(similarity(&wine, "tea") < 0.8);
        let mixed = similarity(&[&*tea, &*wine].concat(), "tea");
        assert!((0.8..0.99).contains(&mixed), "{mixed}");
        // A text without spaces, and one whose end weighs little.
        assert!(similarity(&"tea".repeat(20_000), "tea") > 0.999);
        assert!(similarity(&(tea + "Wine."), "tea") > 0.999);
        assert!(similarity("", "wine") > 0.999);
    }
}
