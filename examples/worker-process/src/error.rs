//! The one error of a worker.

use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use crate::stderr::Stderr;

/// The reason for which a request has no answer.
///
/// The message quotes nothing that the program wrote.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The program cannot be started, or ended or failed before it was ready.
    #[error("the program cannot be started: {reason}")]
    Start {
        /// The cause, with the exit status or the signal if the program ended.
        reason: String,
        /// The end of what the program wrote to standard error.
        stderr: Stderr,
    },
    /// The program ended before it answered.
    #[error("the program ended before it answered, {}", describe(*.status))]
    Crashed {
        /// The exit status or the signal; absent if the host ignores the signals of its children.
        status: Option<ExitStatus>,
        /// The end of what the program wrote to standard error.
        stderr: Stderr,
    },
    /// The deadline passed. If the program had the request, it was killed.
    #[error("no answer within {after:?}: {}", fate(*.sent))]
    Deadline {
        /// The time that the request was given.
        after: Duration,
        /// If false, the program never had the request.
        sent: bool,
        /// The end of what the program wrote to standard error.
        stderr: Stderr,
    },
    /// The program wrote something else than one answer to the request, and was killed.
    #[error("the program broke the protocol: {reason}")]
    Protocol {
        /// The rule that the program broke.
        reason: String,
        /// The end of what the program wrote to standard error.
        stderr: Stderr,
    },
    /// The request is longer than a line may be; it was not sent.
    #[error(
        "the request has {bytes} bytes, and a line may have {limit}; send less, or raise `line_limit`"
    )]
    TooLong {
        /// The bytes of the request's line.
        bytes: usize,
        /// The most bytes of a line.
        limit: usize,
    },
    /// As many requests wait as may; this one was not sent.
    #[error("too many requests wait for the program; retry later")]
    Busy,
}

impl WorkerError {
    /// Returns whether the program may have had the request, so that it may have had an effect.
    #[must_use]
    pub const fn request_was_sent(&self) -> bool {
        match self {
            Self::Start { .. } | Self::TooLong { .. } | Self::Busy => false,
            Self::Crashed { .. } | Self::Protocol { .. } => true,
            Self::Deadline { sent, .. } => *sent,
        }
    }

    /// Returns the end of what the program wrote to standard error, for the log only: it may quote
    /// requests. It is empty if the program was not running.
    #[must_use]
    pub fn stderr(&self) -> &str {
        match self {
            Self::Start { stderr, .. }
            | Self::Crashed { stderr, .. }
            | Self::Deadline { stderr, .. }
            | Self::Protocol { stderr, .. } => stderr.text(),
            Self::TooLong { .. } | Self::Busy => "",
        }
    }

    pub(crate) fn start(reason: impl Into<String>) -> Self {
        Self::Start { reason: reason.into(), stderr: Stderr::default() }
    }

    pub(crate) fn not_sent(after: Duration) -> Self {
        Self::Deadline { after, sent: false, stderr: Stderr::default() }
    }
}

/// Describes how a program ended.
pub(crate) fn describe(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "with an unknown status".to_owned(), |status| format!("with {status}"))
}

const fn fate(sent: bool) -> &'static str {
    if sent { "the program was killed" } else { "the program was busy or starting" }
}
