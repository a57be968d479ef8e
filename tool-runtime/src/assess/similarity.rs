//! The similarity of two texts, by words alone or by vectors of an embedder.

use super::manager::{CompressionError, Embedder};

/// The buckets of words; more texts than one word fall into one of them.
const BUCKETS: usize = 2_048;

/// Returns the cosine of the counts of words: 0 to 1.
///
/// It does not tell a good summary from a bad one; the retention of identifiers does.
pub(super) fn lexical(one: &str, other: &str) -> f64 {
    cosine(&counts(one), &counts(other))
}

/// Returns the cosine of the vectors of an embedder, limited to 0 to 1.
pub(super) async fn embedded(
    embedder: &dyn Embedder,
    one: &str,
    other: &str,
) -> Result<f64, CompressionError> {
    let vectors = embedder.embed(&[one, other]).await?;
    match vectors.as_slice() {
        [one, other] if one.len() == other.len() && !one.is_empty() => {
            let wide = |vector: &[f32]| vector.iter().copied().map(f64::from).collect::<Vec<_>>();
            Ok(cosine(&wide(one), &wide(other)).clamp(0.0, 1.0))
        }
        _ => Err(CompressionError::new("expected two vectors of the same length")),
    }
}

fn counts(text: &str) -> Vec<f64> {
    let mut counts = vec![0.0; BUCKETS];
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
    usize::try_from(hash >> 32).unwrap_or_default() % BUCKETS
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
}
