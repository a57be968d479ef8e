//! Ranks tools for a query that may ask for several things.
//!
//! A question of several sentences often asks for several tools. Each sentence is ranked by itself,
//! so that a long one does not outweigh the others. A word that the tools before have matched counts
//! less for those after, so that many similar tools do not displace the one for the rest of the
//! question.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::postings::Postings;
use super::query::QueryWords;

/// The weight of the whole query, relative to its best sentence.
const WHOLE: f64 = 0.5;

/// The power of the best score by which a query's or a sentence's scores are divided: 0 leaves long
/// sentences their greater scores, 1 makes all sentences equal.
const EQUALITY: f64 = 0.75;

/// The factor of a word's score for each tool that has matched it before, at best.
const REPEATED: f64 = 0.95;

/// The results for which repeated words count less; those after them are in the order of the rest.
const DIVERSIFIED: usize = 20;

/// Returns at most `k` tools that contain any of the words, best first, with scores.
///
/// A smaller `k` returns the first results of a larger one.
pub(super) fn top(postings: &Postings, query: &QueryWords, k: usize) -> Vec<(usize, f64)> {
    let mut open = candidates(postings, query);
    let mut factors = vec![1.0; query.all.len()];
    let mut ranking = Vec::new();
    while !open.is_empty() && ranking.len() < k.min(DIVERSIFIED) {
        let best = open.iter().enumerate().min_by(|(_, one), (_, other)| by_value(one, other));
        let Some((at, _)) = best else { break };
        let chosen = open.remove(at);
        ranking.push((chosen.tool, chosen.value));
        for (word, share) in &chosen.matched {
            factors[*word] *= REPEATED.powf(share.of_best);
        }
        for candidate in &mut open {
            candidate.devalue(&factors);
        }
    }
    open.sort_unstable_by(by_value);
    ranking.extend(open.into_iter().map(|candidate| (candidate.tool, candidate.value)));
    ranking.truncate(k);
    ranking
}

/// A tool that is not ranked yet.
struct Candidate {
    tool: usize,
    score: f64,
    /// The score with less for repeated words.
    value: f64,
    /// The words of the query that it contains, by their index.
    matched: Vec<(usize, WordShare)>,
}

/// The score of one word for one tool.
struct WordShare {
    score: f64,
    /// Relative to the best tool for the word.
    of_best: f64,
}

impl Candidate {
    fn devalue(&mut self, factors: &[f64]) {
        let (mut whole, mut left) = (0.0, 0.0);
        for (word, share) in &self.matched {
            whole += share.score;
            left += share.score * factors[*word];
        }
        self.value = self.score * left / whole;
    }
}

/// Ties are in the order of the tools.
fn by_value(one: &Candidate, other: &Candidate) -> Ordering {
    other.value.total_cmp(&one.value).then(one.tool.cmp(&other.tool))
}

fn candidates(postings: &Postings, query: &QueryWords) -> Vec<Candidate> {
    let mut by_tool: HashMap<usize, Vec<(usize, WordShare)>> = HashMap::new();
    for (word, text) in query.all.iter().enumerate() {
        let word_postings = postings.for_word(text);
        let best = word_postings.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        for (tool, score) in word_postings {
            let share = WordShare { score: *score, of_best: score / best };
            by_tool.entry(*tool).or_default().push((word, share));
        }
    }
    let scores = scores(postings, query);
    let candidate = |(tool, matched)| {
        let score = scores[tool];
        Candidate { tool, score, value: score, matched }
    };
    by_tool.into_iter().map(candidate).collect()
}

/// The scores of all tools: of the whole query, and of the best sentence.
fn scores(postings: &Postings, query: &QueryWords) -> Vec<f64> {
    let mut scores = balanced(postings.scores(&query.all));
    let mut best = vec![0.0_f64; scores.len()];
    for sentence in &query.sentences {
        for (best, score) in best.iter_mut().zip(balanced(postings.scores(sentence))) {
            *best = best.max(score);
        }
    }
    scores.iter_mut().zip(best).for_each(|(score, best)| *score = *score * WHOLE + best);
    scores
}

fn balanced(mut scores: Vec<f64>) -> Vec<f64> {
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best > 0.0 {
        let divisor = best.powf(EQUALITY);
        for score in &mut scores {
            *score /= divisor;
        }
    }
    scores
}
