//! The end of a loop, and its cause.

use super::suspended::SuspendedRun;
use crate::model::{ChatReply, ModelMessage, TokenUsage};

/// The end of a loop, with everything that was said.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopReport {
    pub(super) end: LoopEnd,
    pub(super) messages: Vec<ModelMessage>,
    pub(super) turns: u32,
    pub(super) calls: u32,
    pub(super) usage: TokenUsage,
    pub(super) savings: LoopSavings,
}

/// The tokens that compression saved in a loop.
///
/// A result that is compressed once is shorter in every later request, so the same token is saved
/// in each of them. A provider reads the unchanged beginning of a request from its cache for a
/// share of the price; a compaction changes earlier messages, and the messages after them are paid
/// in full once more.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct LoopSavings {
    /// The results that were compressed before they became messages.
    pub compressed_results: u32,
    /// The number of times that older rounds were compacted.
    pub compactions: u32,
    /// The tokens of input that were not sent, over all requests together.
    pub input_tokens: u64,
    /// The same in tokens at the full price: those that the cache would have had count by its share
    /// of the price, and what compactions lost of the cache is subtracted.
    pub net_input_tokens: f64,
}

impl LoopReport {
    /// Returns how the loop ended.
    #[must_use]
    pub const fn end(&self) -> &LoopEnd {
        &self.end
    }

    /// Takes how the loop ended.
    #[must_use]
    pub fn into_end(self) -> LoopEnd {
        self.end
    }

    /// Returns the model's answer, if it gave one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.end {
            LoopEnd::Answered(reply) => Some(reply.text()),
            LoopEnd::Suspended(_) | LoopEnd::Stopped(_) => None,
        }
    }

    /// Returns everything that was said, the instructions and the answer included. Results that
    /// were compressed are there as the model read them last.
    #[must_use]
    pub fn messages(&self) -> &[ModelMessage] {
        &self.messages
    }

    /// Returns how often the model was asked.
    #[must_use]
    pub const fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns how many calls the model requested.
    #[must_use]
    pub const fn calls(&self) -> u32 {
        self.calls
    }

    /// Returns the tokens of all turns together; the tokens of a model that does not count them are
    /// estimated.
    #[must_use]
    pub const fn usage(&self) -> TokenUsage {
        self.usage
    }

    /// Returns what compression saved, with and without the provider's cache.
    #[must_use]
    pub const fn savings(&self) -> LoopSavings {
        self.savings
    }
}

/// The cause of a loop's end.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopEnd {
    /// The model answered.
    Answered(ChatReply),
    /// A call waits for a person.
    Suspended(SuspendedRun),
    /// A limit stopped the loop before the model answered.
    Stopped(StopCause),
}

/// The end of a loop for the siblings of this package, whose matches must be complete.
#[doc(hidden)]
#[derive(Debug)]
pub enum LoopEndKind {
    Answered(ChatReply),
    Suspended(SuspendedRun),
    Stopped(StopCause),
}

impl LoopEnd {
    #[doc(hidden)]
    #[must_use]
    pub fn into_kind(self) -> LoopEndKind {
        match self {
            Self::Answered(reply) => LoopEndKind::Answered(reply),
            Self::Suspended(run) => LoopEndKind::Suspended(run),
            Self::Stopped(cause) => LoopEndKind::Stopped(cause),
        }
    }
}

/// The limit that stopped a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopCause {
    /// The model was asked as often as it may be.
    TurnLimit,
    /// The model read and wrote as many tokens as it may.
    TokenBudget,
    /// All calls of several turns in a row failed.
    RepeatedFailures,
    /// The model's answer was cut off or filtered, or it ended for a reason that is not known
    /// ([`FinishReason::Other`](crate::FinishReason::Other)), and none of its calls was run.
    CutOff,
    /// The time limit of the run passed.
    Timeout,
}

impl StopCause {
    /// Returns the cause's name, such as `turn_limit`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TurnLimit => "turn_limit",
            Self::TokenBudget => "token_budget",
            Self::RepeatedFailures => "repeated_failures",
            Self::CutOff => "cut_off",
            Self::Timeout => "timeout",
        }
    }
}
