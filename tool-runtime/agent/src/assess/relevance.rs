//! Scores passages by the words of a query: BM25, with a share of the neighbours' scores.

use super::query_terms::QueryTerms;

/// Saturation of repeated words (BM25's k1): the usual value.
const SATURATION: f64 = 1.2;
/// Length normalization (BM25's b): the usual value.
const NORMALISATION: f64 = 0.75;
/// The share of a neighbour's score that a passage gets.
///
/// An answer is often next to the sentence that has the words of the question.
const NEIGHBOUR_WEIGHT: f64 = 0.5;

/// The occurrences of the query's words in one passage.
struct PassageHits {
    words: u32,
    /// The occurrences by word.
    terms: Vec<(usize, u32)>,
}

/// Returns one score for each passage, 0 for one without a word of the query and without such a
/// neighbour. `group` has the same number for passages that follow each other.
pub(super) fn scores<'t>(
    terms: &QueryTerms,
    passages: impl Iterator<Item = &'t str>,
    groups: &[usize],
) -> Vec<f64> {
    let hits: Vec<PassageHits> = passages.map(|text| hits(terms, text)).collect();
    let base_scores = own_scores(terms, &hits);
    let neighbour = |at: usize, other: Option<usize>| {
        let other = other.filter(|&other| groups.get(other) == groups.get(at))?;
        base_scores.get(other)
    };
    (0..base_scores.len())
        .map(|at| {
            let before = neighbour(at, at.checked_sub(1)).copied().unwrap_or_default();
            let after = neighbour(at, Some(at + 1)).copied().unwrap_or_default();
            base_scores[at] + NEIGHBOUR_WEIGHT * (before + after)
        })
        .collect()
}

fn hits(terms: &QueryTerms, text: &str) -> PassageHits {
    let mut term_counts: Vec<(usize, u32)> = Vec::new();
    let words = terms.find(text, |term| match term_counts.iter_mut().find(|(it, _)| *it == term) {
        Some((_, times)) => *times += 1,
        None => term_counts.push((term, 1)),
    });
    PassageHits { words, terms: term_counts }
}

fn own_scores(terms: &QueryTerms, hits: &[PassageHits]) -> Vec<f64> {
    let mut with_term = vec![0_u32; terms.len()];
    for (term, _) in hits.iter().flat_map(|passage| &passage.terms) {
        with_term[*term] += 1;
    }
    let passages = count(hits.len());
    let words: f64 = hits.iter().map(|passage| f64::from(passage.words)).sum();
    let average = (words / passages.max(1.0)).max(1.0);
    let score = |passage: &PassageHits| {
        let length = 1.0 - NORMALISATION + NORMALISATION * f64::from(passage.words) / average;
        let score = |(term, times): &(usize, u32)| {
            let (with_term, times) = (f64::from(with_term[*term]), f64::from(*times));
            let rarity = (1.0 + (passages - with_term + 0.5) / (with_term + 0.5)).ln();
            rarity * times * (SATURATION + 1.0) / (times + SATURATION * length)
        };
        passage.terms.iter().map(score).sum()
    };
    hits.iter().map(score).collect()
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
