//! Fits an answer into the bytes and tokens that a model may read.

use tool_contracts::articulate::SerializedOutput;

use super::result_format::ResultFormat;
use super::text_part::TextPart;
use super::{TruncatedArray, excerpt};
use crate::tokens::TokenCounter;

/// The most that a model may read of an answer, and the format in which it reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerSize<'p> {
    pub(super) format: &'p ResultFormat,
    pub(super) counter: &'p dyn TokenCounter,
    pub(super) max_bytes: usize,
    /// The context's budget.
    pub(super) max_tokens: Option<u64>,
}

/// Data as a model reads it.
#[derive(Debug)]
pub(super) struct FittedAnswer {
    pub(super) json: String,
    /// The same in the format of the rules; `None` for JSON.
    pub(super) output: Option<SerializedOutput>,
    /// The arrays that were cut; empty if the answer is whole.
    pub(super) cuts: Vec<TruncatedArray>,
}

/// The attempts to find an excerpt that fits the budget of tokens.
const MAX_ATTEMPTS: usize = 6;

impl AnswerSize<'_> {
    /// Writes the whole answer, which may not fit.
    pub(super) fn whole(&self, json: &str) -> FittedAnswer {
        self.answer(json.to_owned(), Vec::new())
    }

    /// Returns an excerpt that fits, together with the text that describes it.
    ///
    /// `describe` writes that text for the arrays that were cut.
    pub(super) fn excerpt(
        &self,
        whole: &FittedAnswer,
        keeps_schema: impl Fn(&str) -> bool,
        describe: impl Fn(&[TruncatedArray]) -> String,
    ) -> Option<FittedAnswer> {
        let mut max_bytes = self.bytes_that_fit(whole, "");
        for _ in 0..MAX_ATTEMPTS {
            let cut = excerpt(&whole.json, max_bytes, &keeps_schema)?;
            let answer = self.answer(cut.json, cut.cuts);
            let description = describe(&answer.cuts);
            if self.fits(&answer, &description) {
                return Some(answer);
            }
            let fewer = answer.json.len() - answer.json.len() / 8;
            max_bytes = self.bytes_that_fit(&answer, &description).min(fewer);
        }
        None
    }

    /// Returns the first part of an answer of which no excerpt fits, together with the text that
    /// describes it; `None` if nothing of it fits.
    ///
    /// `describe` writes that text for the length of the part in bytes of JSON.
    pub(super) fn first_part(
        &self,
        json: &str,
        describe: impl Fn(usize) -> String,
    ) -> Option<TextPart> {
        let mut limit = self.max_bytes;
        for _ in 0..MAX_ATTEMPTS {
            let part = TextPart::first(json, limit);
            if part.text.is_empty() {
                return None;
            }
            let Some(max_tokens) = self.max_tokens else { return Some(part) };
            let left = max_tokens.saturating_sub(self.counter.count(&describe(part.length)));
            let tokens = self.counter.count(&part.text);
            if tokens <= left {
                return Some(part);
            }
            let fewer = part.length - part.length / 8;
            limit = share(part.length, left, tokens).min(fewer);
        }
        None
    }

    fn answer(&self, json: String, cuts: Vec<TruncatedArray>) -> FittedAnswer {
        let output = self.format.serialize(&json, self.counter);
        FittedAnswer { json, output, cuts }
    }

    /// Returns whether an answer fits together with the text that describes it.
    pub(super) fn fits(&self, answer: &FittedAnswer, description: &str) -> bool {
        let fits_tokens =
            |limit| self.tokens(answer).saturating_add(self.counter.count(description)) <= limit;
        answer.text().len() <= self.max_bytes && self.max_tokens.is_none_or(fits_tokens)
    }

    /// Counts the tokens of the text, and of the line that names its format.
    fn tokens(&self, answer: &FittedAnswer) -> u64 {
        let note = answer.output.as_ref().and_then(|output| output.format_used().model_note());
        let note = note.map_or(0, |note| self.counter.count(note));
        self.counter.count(answer.text()).saturating_add(note)
    }

    /// Returns how many bytes of JSON may fit, by the sizes of an answer that does not.
    fn bytes_that_fit(&self, answer: &FittedAnswer, description: &str) -> usize {
        let bytes = answer.json.len();
        let left = |limit: u64| limit.saturating_sub(self.counter.count(description));
        let by_bytes = share(bytes, self.max_bytes as u64, answer.text().len() as u64);
        let by_tokens = |limit| share(bytes, left(limit), self.tokens(answer));
        self.max_tokens.map_or(by_bytes, |limit| by_bytes.min(by_tokens(limit)))
    }
}

impl FittedAnswer {
    /// Returns the text for the model.
    pub(super) fn text(&self) -> &str {
        self.output.as_ref().map_or(&self.json, SerializedOutput::serialized_text)
    }
}

/// Returns `bytes * most / found`, at most `bytes`.
fn share(bytes: usize, limit: u64, found: u64) -> usize {
    let part = u128::from(limit.min(found)) * bytes as u128 / u128::from(found.max(1));
    usize::try_from(part).unwrap_or(bytes)
}
