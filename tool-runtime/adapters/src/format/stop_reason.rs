//! The reason for which a model stopped.

/// Reason for which a model stopped. Calls are run only after [`Done`](Self::Done).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The response is complete, or waits for the calls' answers.
    Done,
    /// The response was cut off by a length limit.
    Length,
    /// The stream ended before the response was closed.
    Interrupted,
    /// The model refused, or a filter stopped it; with the provider's value.
    Refused(String),
    /// Another reason, as the provider names it.
    Other(String),
}

/// The fate of a response's calls, by the reason for which the model stopped.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the crates of the library match all kinds")]
pub enum StopKind<'r> {
    /// The response is complete, or waits for the calls' answers.
    Done,
    /// The response ended before it was complete.
    CutOff,
    /// The model refused, or a filter stopped it.
    Refused,
    /// Another reason, as the provider names it.
    Other(&'r str),
}

impl StopReason {
    /// Returns what the reason means for the calls of the response.
    #[doc(hidden)]
    #[must_use]
    pub fn kind(&self) -> StopKind<'_> {
        match self {
            Self::Done => StopKind::Done,
            Self::Length | Self::Interrupted => StopKind::CutOff,
            Self::Refused(_) => StopKind::Refused,
            Self::Other(word) => StopKind::Other(word),
        }
    }

    /// Returns whether the response ended before it was complete.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.kind() == StopKind::CutOff
    }
}
