//! The `meta` of an envelope, as a value.

use std::borrow::Cow;

use tool_contracts::{Evidence, ToolErrorMeta, ToolResultMeta, Warning};

/// The `meta` of an envelope: a result's or an error's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "an envelope is a result or an error")]
pub enum OutputMeta {
    /// The `meta` of a result.
    Result(ToolResultMeta),
    /// The `meta` of an error.
    Error(ToolErrorMeta),
}

impl OutputMeta {
    /// Returns how long the call took, in milliseconds.
    #[must_use]
    pub fn took_ms(&self) -> u64 {
        match self {
            Self::Result(meta) => meta.took_ms(),
            Self::Error(meta) => meta.took_ms(),
        }
    }

    /// Returns how often the tool was tried, if `meta` says so.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        match self {
            Self::Result(meta) => meta.attempts(),
            Self::Error(meta) => meta.attempts(),
        }
    }

    /// Returns whether this is the stored output of an earlier call with the same idempotency key.
    #[must_use]
    pub fn replayed(&self) -> bool {
        match self {
            Self::Result(meta) => meta.replayed(),
            Self::Error(meta) => meta.replayed(),
        }
    }

    /// Returns whether the call was a dry run.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        match self {
            Self::Result(meta) => meta.dry_run(),
            Self::Error(meta) => meta.dry_run(),
        }
    }

    /// Returns the warnings, which the model reads.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        match self {
            Self::Result(meta) => meta.warnings(),
            Self::Error(meta) => meta.warnings(),
        }
    }

    /// Returns for how many seconds the answer holds, if `meta` says so.
    #[must_use]
    pub fn ttl_seconds(&self) -> Option<u64> {
        match self {
            Self::Result(meta) => meta.ttl_seconds(),
            Self::Error(meta) => meta.ttl_seconds(),
        }
    }

    /// Returns the stored evidence, if the call left one.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::Result(meta) => meta.evidence(),
            Self::Error(meta) => meta.evidence(),
        }
    }
}

/// The `meta` of a result. Most have the time and the freshness alone, and need no allocation.
#[derive(Clone)]
pub(super) enum ResultMeta {
    Short { took_ms: u64, ttl_seconds: Option<u64> },
    Full(Box<ToolResultMeta>),
}

impl ResultMeta {
    pub(super) fn to_contract(&self) -> Cow<'_, ToolResultMeta> {
        match self {
            Self::Short { took_ms, ttl_seconds } => {
                let meta = ToolResultMeta::new(*took_ms);
                Cow::Owned(match ttl_seconds {
                    Some(seconds) => meta.with_ttl_seconds(*seconds),
                    None => meta,
                })
            }
            Self::Full(meta) => Cow::Borrowed(meta),
        }
    }
}
