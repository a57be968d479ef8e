//! An inverted index: for each word, the tools that contain it and its score for each.
//!
//! Scores are BM25F (Robertson, Zaragoza, Taylor 2004): the occurrences of a word in each part of a
//! contract are weighted by the part and by the part's length, summed, and saturated once; a word
//! of few tools scores higher than a word of many.

use std::collections::HashMap;

use super::fields::{FIELDS, Fields, WEIGHTS};

/// Saturation of repeated words (BM25's k1): the usual value.
const SATURATION: f64 = 1.2;

/// Length normalization (BM25's b): the usual value.
const NORMALISATION: f64 = 0.75;

/// The scores of each word for the tools that contain it.
pub(super) struct Postings {
    tools: usize,
    /// The tools that contain a word, with its score for each.
    by_word: HashMap<String, Vec<(usize, f64)>>,
}

/// The occurrences of a word in each part of a tool.
type Counts = [u32; FIELDS];

/// The length of each part of a tool in words, relative to the average.
type Lengths = [f64; FIELDS];

impl Postings {
    /// Indexes the tools' words; ties are returned in this order.
    pub(super) fn new(tools: impl Iterator<Item = Fields>) -> Self {
        let (mut lengths, mut counts) = (Vec::new(), HashMap::new());
        for (tool, fields) in tools.enumerate() {
            lengths.push(fields.each_ref().map(|words| count(words.len())));
            count_words(tool, fields, &mut counts);
        }
        normalise(&mut lengths);
        let score = |(word, tools): (String, Vec<(usize, Counts)>)| {
            let inverse_document_frequency = inverse_document_frequency(lengths.len(), tools.len());
            let score = |(tool, counts)| {
                (tool, inverse_document_frequency * saturated(&counts, &lengths[tool]))
            };
            (word, tools.into_iter().map(score).collect())
        };
        Self { tools: lengths.len(), by_word: counts.into_iter().map(score).collect() }
    }

    /// Returns the score of each tool for these words.
    pub(super) fn scores(&self, words: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.tools];
        for (tool, score) in words.iter().flat_map(|word| self.for_word(word)) {
            scores[*tool] += score;
        }
        scores
    }

    /// Returns the tools that contain a word, with its score for each.
    pub(super) fn for_word(&self, word: &str) -> &[(usize, f64)] {
        self.by_word.get(word).map(Vec::as_slice).unwrap_or_default()
    }
}

fn count_words(tool: usize, fields: Fields, counts: &mut HashMap<String, Vec<(usize, Counts)>>) {
    for (field, words) in fields.into_iter().enumerate() {
        for word in words {
            let tools = counts.entry(word).or_default();
            if tools.last().is_none_or(|(last, _)| *last != tool) {
                tools.push((tool, [0; FIELDS]));
            }
            if let Some((_, counts)) = tools.last_mut() {
                counts[field] += 1;
            }
        }
    }
}

/// Divides lengths by their average over all tools.
fn normalise(lengths: &mut [Lengths]) {
    let tools = count(lengths.len());
    for field in 0..FIELDS {
        let average = lengths.iter().map(|lengths| lengths[field]).sum::<f64>() / tools;
        for lengths in &mut *lengths {
            // NaN if no tool has the part; then no word refers to it.
            lengths[field] /= average;
        }
    }
}

/// The weighted and saturated occurrences of a word in a tool.
fn saturated(counts: &Counts, lengths: &Lengths) -> f64 {
    let mut occurrences = 0.0;
    for field in (0..FIELDS).filter(|field| counts[*field] > 0) {
        let length = 1.0 - NORMALISATION + NORMALISATION * lengths[field];
        occurrences += WEIGHTS[field] * f64::from(counts[field]) / length;
    }
    occurrences / (SATURATION + occurrences)
}

/// The inverse document frequency of a word; more than 0.
fn inverse_document_frequency(tools: usize, with_word: usize) -> f64 {
    let (tools, with_word) = (count(tools), count(with_word));
    (1.0 + (tools - with_word + 0.5) / (with_word + 0.5)).ln()
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
