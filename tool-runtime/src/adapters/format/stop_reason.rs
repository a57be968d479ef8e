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

impl StopReason {
    /// Returns whether the response ended before it was complete.
    pub(in crate::adapters) fn is_cut_off(&self) -> bool {
        match self {
            Self::Length | Self::Interrupted => true,
            Self::Done | Self::Refused(_) | Self::Other(_) => false,
        }
    }
}
