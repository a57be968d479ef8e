//! Chooses the passages of a context that are kept within a budget of tokens.

use tool_runtime_core::tokens::TokenCounter;

use super::context_text::{ContextText, Passage};
use super::query_terms::QueryTerms;
use super::references::References;
use super::relevance;
use super::salience::{salience, salience_of_message};

/// The most rounds of choosing fewer or more passages, if the text takes more or fewer tokens than its
/// parts: a table of rows takes fewer.
const MAX_ROUNDS: usize = 8;
/// The share of the target from which on a text is long enough, in percent.
const ENOUGH_PERCENT: u64 = 90;

/// The rules by which passages are chosen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Focus<'f> {
    /// They fit the question, or have what it refers to.
    Question { terms: &'f QueryTerms, references: &'f References<'f> },
    /// They decide, ask or name something.
    Message { references: &'f References<'f> },
}

/// The limits of a compressed text, in tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// The tokens that the text should take.
    pub(super) target: u64,
    /// The tokens that it must not exceed.
    pub(super) max_tokens: u64,
    /// The tokens up to which it may exceed the target for passages that are referred to.
    pub(super) references: u64,
}

/// A text with the passages that were kept.
#[derive(Debug)]
pub(super) struct PrunedText {
    pub(super) text: String,
    pub(super) kept: usize,
}

/// Keeps the best passages within the budget; `None` if not even the fixed parts fit.
///
/// Passages that are referred to come first, and may take more than the target; then the others by
/// their scores. Equal ones are kept in
/// the order of the text, so the result depends on the input alone.
pub(super) fn prune(
    context_text: &ContextText<'_>,
    focus: Focus<'_>,
    budget: Budget,
    counter: &dyn TokenCounter,
) -> Option<PrunedText> {
    let nothing = vec![false; context_text.passages.len()];
    let smallest = context_text.render(&nothing);
    let fixed = counter.count(&smallest);
    if fixed > budget.max_tokens {
        return None;
    }
    let costs: Vec<u64> =
        context_text.passages.iter().map(|it| cost(context_text, it, counter)).collect();
    let (order, forced) = by_priority(context_text, focus);
    // If the fixed parts alone exceed the target, a tenth of the rest is kept.
    let prunable: u64 = costs.iter().sum();
    let target = budget.target.max(fixed + prunable / 10).min(budget.max_tokens);
    let referred: u64 = order[..forced].iter().map(|&passage| costs[passage]).sum();
    let target = target.max((fixed + referred).min(budget.references));
    let mut search = RoomSearch { fixed, target, fits: None, exceeds: None };
    let mut best = PrunedText { text: smallest, kept: 0 };
    let mut room = target - fixed;
    for _ in 0..MAX_ROUNDS {
        let selection = choose(&order, &costs, room);
        let text = context_text.render(&selection);
        let tokens = counter.count(&text);
        let kept_count = selection.iter().filter(|selection| **selection).count();
        if tokens <= target {
            best = PrunedText { text, kept: kept_count };
            let enough = target.saturating_mul(ENOUGH_PERCENT);
            if kept_count == costs.len() || tokens.saturating_mul(100) >= enough {
                break;
            }
        }
        room = search.next(room, tokens);
    }
    Some(best)
}

/// Searches the room for passages with which the text is close to its target, and not above it.
#[derive(Debug)]
struct RoomSearch {
    /// The tokens of the text without passages.
    fixed: u64,
    target: u64,
    /// The largest room whose text fits.
    fits: Option<u64>,
    /// The smallest room whose text does not fit.
    exceeds: Option<u64>,
}

impl RoomSearch {
    /// Returns the room to try after one whose text takes so many tokens.
    fn next(&mut self, room: u64, tokens: u64) -> u64 {
        if tokens > self.target {
            self.exceeds = Some(room);
        } else {
            self.fits = Some(room);
        }
        match (self.fits, self.exceeds) {
            (Some(fits), Some(exceeds)) => fits.midpoint(exceeds),
            (None, _) => room.saturating_sub(tokens - self.target + room / 50 + 1),
            (Some(fits), None) => {
                let (wanted, taken) = (self.target - self.fixed, tokens.saturating_sub(self.fixed));
                let grown = fits.saturating_mul(wanted) / taken.max(1);
                grown.min(fits.saturating_mul(4)).max(fits + 1)
            }
        }
    }
}

/// Estimates what a passage adds to the text: its own tokens, and a mark of a gap.
fn cost(context_text: &ContextText<'_>, passage: &Passage, counter: &dyn TokenCounter) -> u64 {
    counter.count(context_text.passage_text(passage)) + 1
}

/// Takes passages in this order while they fit.
fn choose(order: &[usize], costs: &[u64], mut room: u64) -> Vec<bool> {
    let mut selection = vec![false; costs.len()];
    for &passage in order {
        if costs[passage] <= room {
            room -= costs[passage];
            selection[passage] = true;
        }
    }
    selection
}

/// Returns the passages by their priority, and how many of them are referred to.
fn by_priority(context_text: &ContextText<'_>, focus: Focus<'_>) -> (Vec<usize>, usize) {
    let texts: Vec<_> =
        context_text.passages.iter().map(|it| context_text.decoded_passage(it)).collect();
    let texts = || texts.iter().map(|text| &**text);
    let groups: Vec<usize> = context_text.passages.iter().map(|passage| passage.group).collect();
    let (scores, references) = match focus {
        Focus::Question { terms, references } if terms.is_empty() => {
            (texts().map(salience).collect(), references)
        }
        Focus::Question { terms, references } => {
            let mut scores = relevance::scores(terms, texts(), &groups);
            // Among passages without a word of the question, those that name something.
            for (score, text) in scores.iter_mut().zip(texts()) {
                if *score <= 0.0 {
                    *score = salience(text) / 1e6;
                }
            }
            (scores, references)
        }
        Focus::Message { references } => (texts().map(salience_of_message).collect(), references),
    };
    let forced: Vec<bool> = texts().map(|text| references.are_in(text)).collect();
    let mut order: Vec<usize> = (0..context_text.passages.len()).collect();
    let score = |at: usize| (forced[at], scores[at]);
    order.sort_by(|&one, &other| {
        let ((one_forced, one), (other_forced, other)) = (score(one), score(other));
        other_forced.cmp(&one_forced).then(other.total_cmp(&one))
    });
    (order, forced.iter().filter(|forced| **forced).count())
}
