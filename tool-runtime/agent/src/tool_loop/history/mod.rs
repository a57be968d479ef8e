//! The messages of a loop: checks that calls are answered, compresses results once, compacts older rounds,
//! and counts what that saves.

#[cfg(test)]
mod tests;

use std::ops::Range;

use chrono::Utc;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tool_contracts::act::ActResult;
use tool_contracts::assess::CompressionMethod;

use super::files::{self, FILE_TOKENS};
use super::report::LoopSavings;
use crate::assess::{Assessor, to_f64};
use crate::error::{AgentError, AgentErrorKind, AgentErrorReason};
use crate::model::{ModelCall, ModelMessage};

/// The fewest tokens of a result of an older round that is compacted.
const MIN_COMPACTED_TOKENS: u64 = 64;

/// The messages of a loop, with what compression saved.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct History {
    pub(super) messages: Vec<ModelMessage>,
    /// The messages before this one are compacted, and do not change again.
    compacted: usize,
    pub(super) savings: SavingsMeter,
}

/// Adds up the savings of a loop.
#[derive(Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SavingsMeter {
    compressed_results: u32,
    compactions: u32,
    /// By so much the next request is shorter than it would be.
    shorter_by: u64,
    /// The part of it that no request has had yet.
    new: u64,
    input_tokens: u64,
    /// The tokens that were saved in a request after their first one.
    repeated: u64,
    /// The tokens that were paid in full again.
    lost_cache: f64,
}

/// A result of an older round with fewer tokens.
struct ShortenedResult {
    /// The position of its message.
    at: usize,
    text: String,
    saved: u64,
}

impl History {
    pub(super) fn new(messages: Vec<ModelMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    pub(super) fn push(&mut self, message: ModelMessage) {
        self.messages.push(message);
    }

    /// Compresses the data of a result by the user's newest message; `None` if that saves nothing.
    pub(super) async fn compress_result(
        &mut self,
        assessor: &Assessor,
        tool: &str,
        json: &str,
    ) -> Option<String> {
        let data: Box<RawValue> = serde_json::from_str(json).ok()?;
        let result = ActResult::succeeded(tool, data, Utc::now()).build().ok()?;
        let optimized = assessor.optimize_result(&result, self.question()).await;
        let before = assessor.estimate_tokens(json);
        let saved = before.checked_sub(optimized.optimized_tokens()).filter(|saved| *saved > 0)?;
        // Servers refuse a message without a text.
        let is_blank = optimized.optimized_text().trim().is_empty();
        if optimized.method_used() == CompressionMethod::None || is_blank {
            return None;
        }
        self.savings.add_result(saved);
        Some(optimized.into_text())
    }

    /// Compacts the results of older rounds if the history is long, and if that saves more than the
    /// provider's lost cache costs. `turns` is how often the model may still be asked.
    pub(super) async fn compact(&mut self, assessor: &Assessor, turns: u32) {
        let options = assessor.options_in_use();
        let tokens: Vec<u64> =
            self.messages.iter().map(|it| message_tokens(it, assessor)).collect();
        if tokens.iter().sum::<u64>() <= options.threshold_tokens() {
            return;
        }
        let rounds = complete_rounds(&self.messages);
        let older = rounds.len().saturating_sub(options.verbatim_rounds());
        let Some(end) = rounds[..older].last().map(|round| round.end) else { return };
        let shortened_results = self.shorten_results(assessor, &rounds[..older], &tokens).await;
        let Some(first) = shortened_results.first().map(|it| it.at) else { return };
        let after_first: u64 = tokens[first..].iter().sum();
        let saved: u64 = shortened_results.iter().map(|it| it.saved).sum();
        let share = options.cached_price_share();
        if SavingsMeter::is_worthwhile(saved, after_first - saved, share, turns) {
            self.savings.add_compaction(saved, after_first - saved, share);
            self.replace(shortened_results);
            self.compacted = end;
        }
    }

    /// Compacts the results of complete rounds that were not compacted before; a round between them
    /// that still waits for an answer stays as it is.
    async fn shorten_results(
        &self,
        assessor: &Assessor,
        older: &[Range<usize>],
        tokens: &[u64],
    ) -> Vec<ShortenedResult> {
        let newer = self.newer_texts(older.last().map_or(0, |round| round.end));
        let mut shortened_results = Vec::new();
        for at in older.iter().cloned().flatten().filter(|at| *at >= self.compacted) {
            let ModelMessage::ToolResult { text, attachments, .. } = &self.messages[at] else {
                continue;
            };
            let shorter = if assessor.estimate_tokens(text) < MIN_COMPACTED_TOKENS {
                None
            } else {
                assessor.compact_result(text, &newer).await
            };
            if shorter.is_some() || !attachments.is_empty() {
                let text = files::without_files(shorter.as_ref().unwrap_or(text), attachments);
                let saved = tokens[at].saturating_sub(assessor.estimate_tokens(&text));
                shortened_results.push(ShortenedResult { at, text, saved });
            }
        }
        shortened_results
    }

    /// Returns the user's question, and all texts and call arguments from this message on. Results
    /// are left out, because most of them contain as many identifiers as the older ones.
    fn newer_texts(&self, from: usize) -> [String; 2] {
        let question = self.question().unwrap_or_default().to_owned();
        let mut newer = String::new();
        for message in &self.messages[from..] {
            match message {
                ModelMessage::System(text) | ModelMessage::User(text) => {
                    newer.extend([text, "\n"]);
                }
                ModelMessage::Assistant(answer) => {
                    let arguments = answer.calls().iter().map(ModelCall::arguments);
                    let said = [answer.text()].into_iter().chain(arguments);
                    newer.extend(said.flat_map(|text| [text, "\n"]));
                }
                ModelMessage::ToolResult { .. } => {}
            }
        }
        [question, newer]
    }

    fn question(&self) -> Option<&str> {
        self.messages.iter().rev().find_map(|message| match message {
            ModelMessage::User(text) => Some(text.as_str()),
            ModelMessage::System(_)
            | ModelMessage::Assistant(_)
            | ModelMessage::ToolResult { .. } => None,
        })
    }

    fn replace(&mut self, shortened: Vec<ShortenedResult>) {
        // Only texts are replaced: providers refuse a history with a call that has no result.
        for ShortenedResult { at, text: shorter, .. } in shortened {
            if let ModelMessage::ToolResult { text, attachments, .. } = &mut self.messages[at] {
                *text = shorter;
                attachments.clear();
            }
        }
    }
}

impl SavingsMeter {
    /// Adds a result that became shorter before it was sent.
    pub(super) fn add_result(&mut self, saved: u64) {
        self.compressed_results += 1;
        self.shorter_by += saved;
        self.new += saved;
    }

    /// Adds a compaction, after which so many tokens from its first change on are paid in full.
    pub(super) fn add_compaction(&mut self, saved: u64, rewritten: u64, cached_share: f64) {
        self.compactions += 1;
        self.shorter_by += saved;
        self.lost_cache += to_f64(rewritten) * (1.0 - cached_share);
    }

    /// Adds a request to the model.
    pub(super) fn add_request(&mut self) {
        self.input_tokens += self.shorter_by;
        self.repeated += self.shorter_by - self.new;
        self.new = 0;
    }

    /// Returns whether a compaction saves more in the remaining turns than the lost cache costs.
    pub(super) fn is_worthwhile(saved: u64, rewritten: u64, cached_share: f64, turns: u32) -> bool {
        let total_saving = to_f64(saved) * cached_share * f64::from(turns);
        total_saving > to_f64(rewritten) * (1.0 - cached_share)
    }

    pub(super) fn report(&self, cached_share: f64) -> LoopSavings {
        let first = self.input_tokens - self.repeated;
        LoopSavings {
            compressed_results: self.compressed_results,
            compactions: self.compactions,
            input_tokens: self.input_tokens,
            net_input_tokens: to_f64(first) + to_f64(self.repeated) * cached_share
                - self.lost_cache,
        }
    }
}

/// Checks that each call is answered once, directly after the message that requests it.
pub(super) fn check_answers(messages: &[ModelMessage]) -> Result<(), AgentError> {
    let mut unanswered: Vec<&ModelCall> = Vec::new();
    for message in messages {
        match message {
            ModelMessage::ToolResult { call_id, .. } => {
                let answered = unanswered.iter().position(|call| call.call_id() == call_id);
                let Some(answered) = answered else { return Err(answers_no_call(call_id)) };
                unanswered.remove(answered);
            }
            ModelMessage::Assistant(answer) => {
                require_answers(&unanswered)?;
                unanswered = answer.calls().iter().collect();
            }
            ModelMessage::System(_) | ModelMessage::User(_) => require_answers(&unanswered)?,
        }
    }
    require_answers(&unanswered)
}

fn require_answers(unanswered: &[&ModelCall]) -> Result<(), AgentError> {
    let Some(call) = unanswered.first() else { return Ok(()) };
    let (id, tool) = (call.call_id(), call.name());
    let message = format!(
        "the call `{id}` of `{tool}` has no answer, and servers refuse such a conversation; continue \
         the suspended run, or close it by `ToolLoop::close`, which answers its calls"
    );
    Err(invalid_conversation(message, id).with_detail("tool", tool))
}

fn answers_no_call(id: &str) -> AgentError {
    let message = format!(
        "the result of `{id}` answers no call of the message before it, and servers refuse such a \
         conversation; leave out a call together with its result"
    );
    invalid_conversation(message, id)
}

fn invalid_conversation(message: String, call_id: &str) -> AgentError {
    AgentError::new(AgentErrorKind::Validation, message)
        .with_reason(AgentErrorReason::UnansweredCall)
        .with_detail("call_id", call_id)
}

/// Counts the tokens of a message: its text, its files, and the calls that it requests.
fn message_tokens(message: &ModelMessage, assessor: &Assessor) -> u64 {
    let calls = match message {
        ModelMessage::Assistant(answer) => answer.calls(),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::ToolResult { .. } => &[],
    };
    let parts = calls.iter().flat_map(|call| [call.name(), call.arguments()]);
    let texts = parts.chain([message.text()]).map(|text| assessor.estimate_tokens(text));
    let files = u64::try_from(message.attachments().len()).unwrap_or(u64::MAX);
    texts.sum::<u64>().saturating_add(files.saturating_mul(FILE_TOKENS))
}

/// Finds the rounds of calls: an answer of the model with calls, and the answers to all of them.
///
/// A round that still waits for an answer is not complete, and is not in the list.
fn complete_rounds(messages: &[ModelMessage]) -> Vec<Range<usize>> {
    let mut rounds = Vec::new();
    for (start, message) in messages.iter().enumerate() {
        let ModelMessage::Assistant(answer) = message else { continue };
        let is_result =
            |message: &&ModelMessage| matches!(message, ModelMessage::ToolResult { .. });
        let results = messages[start + 1..].iter().take_while(is_result).count();
        if !answer.calls().is_empty() && results >= answer.calls().len() {
            rounds.push(start..start + 1 + results);
        }
    }
    rounds
}
