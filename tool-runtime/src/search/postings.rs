//! An inverted index: for each word the tools that have it, and how much it says for each.
//!
//! Scored by BM25F (Robertson, Zaragoza, Taylor 2004): how often a word occurs in each part of a
//! contract is weighed by the part and by the part's length, added up, and saturated once; a word
//! that few tools have says more than one that many have.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::fields::{FIELDS, Fields, WEIGHTS};

/// How soon more of the same word stops to count: the usual value.
const SATURATION: f64 = 1.2;

/// How much a longer part's words count less: the usual value.
const NORMALISATION: f64 = 0.75;

/// What each word says for each tool that has it.
pub(super) struct Postings {
    tools: usize,
    by_word: HashMap<String, Vec<Posting>>,
}

/// What a word says for a tool.
struct Posting {
    tool: usize,
    score: f64,
}

/// How often a word occurs in each part of a tool.
type Counts = [u32; FIELDS];

/// How long each part of a tool is, in words, over how long it is on average.
type Lengths = [f64; FIELDS];

impl Postings {
    /// Takes the tools' words, in the order in which equals are to be found.
    pub(super) fn new(tools: impl Iterator<Item = Fields>) -> Self {
        let (mut lengths, mut counts) = (Vec::new(), HashMap::new());
        for (tool, fields) in tools.enumerate() {
            lengths.push(fields.each_ref().map(|words| count(words.len())));
            count_words(tool, fields, &mut counts);
        }
        normalise(&mut lengths);
        let score = |(word, tools): (String, Vec<(usize, Counts)>)| {
            let rarity = rarity(lengths.len(), tools.len());
            let score = |(tool, counts)| Posting {
                tool,
                score: rarity * saturated(&counts, &lengths[tool]),
            };
            (word, tools.into_iter().map(score).collect())
        };
        Self { tools: lengths.len(), by_word: counts.into_iter().map(score).collect() }
    }

    /// Finds at most `k` tools that have any of the words, the best first, equals in their order.
    pub(super) fn best(&self, words: &[String], k: usize) -> Vec<(usize, f64)> {
        let mut scores = vec![0.0; self.tools];
        for posting in words.iter().filter_map(|word| self.by_word.get(word)).flatten() {
            scores[posting.tool] += posting.score;
        }
        let mut found: Vec<(usize, f64)> =
            scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        if (1..found.len()).contains(&k) {
            found.select_nth_unstable_by(k - 1, better);
        }
        found.truncate(k);
        found.sort_unstable_by(better);
        found
    }
}

fn better(one: &(usize, f64), other: &(usize, f64)) -> Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
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
            // No number where no tool has the part; then no word asks for it.
            lengths[field] /= average;
        }
    }
}

/// The weighed occurrences of a word in a tool, of which each further one counts less.
fn saturated(counts: &Counts, lengths: &Lengths) -> f64 {
    let mut occurrences = 0.0;
    for field in (0..FIELDS).filter(|field| counts[*field] > 0) {
        let length = 1.0 - NORMALISATION + NORMALISATION * lengths[field];
        occurrences += WEIGHTS[field] * f64::from(counts[field]) / length;
    }
    occurrences / (SATURATION + occurrences)
}

/// How much a word says that so many of the tools have; more than 0.
fn rarity(tools: usize, with_word: usize) -> f64 {
    let (tools, with_word) = (count(tools), count(with_word));
    (1.0 + (tools - with_word + 0.5) / (with_word + 0.5)).ln()
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
