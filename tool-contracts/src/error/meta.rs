//! What happened on the way to an error.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, is_false, reads};

/// Says what happened on the way to an error.
///
/// ```
/// use tool_contracts::ToolErrorMeta;
///
/// let meta = ToolErrorMeta::new(10).with_attempts(3);
/// assert_eq!(serde_json::to_string(&meta)?, r#"{"took_ms":10,"attempts":3}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_error_meta"))]
pub struct ToolErrorMeta {
    /// How long it took until the error was noticed, in milliseconds.
    took_ms: u64,
    /// How often the tool was tried, the last time included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = u32::MAX))]
    attempts: Option<u32>,
    /// Whether this is the stored output of an earlier call with the same idempotency key.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    replayed: bool,
    /// Whether the tool was only to show what it would do.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    dry_run: bool,
}

impl ToolErrorMeta {
    /// Makes the meta of a call that failed after this many milliseconds.
    #[must_use]
    pub fn new(took_ms: u64) -> Self {
        Self { took_ms, ..Self::default() }
    }

    /// Sets how often the tool was tried.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { attempts: Some(attempts), ..self }
    }

    /// Sets whether this is the stored output of an earlier call.
    #[must_use]
    pub fn with_replayed(self, replayed: bool) -> Self {
        Self { replayed, ..self }
    }

    /// Sets whether the tool was only to show what it would do.
    #[must_use]
    pub fn with_dry_run(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }

    /// Tells how long it took until the error was noticed, in milliseconds.
    #[must_use]
    pub const fn took_ms(&self) -> u64 {
        self.took_ms
    }

    /// Tells how often the tool was tried, the last time included.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        self.attempts
    }

    /// Tells whether this is the stored output of an earlier call.
    #[must_use]
    pub const fn replayed(&self) -> bool {
        self.replayed
    }

    /// Tells whether the tool was only to show what it would do.
    #[must_use]
    pub const fn dry_run(&self) -> bool {
        self.dry_run
    }
}

reads! {
    ToolErrorMeta, "the meta of an error";
    required took_ms = "took_ms", leaf wire::Whole<u64>;
    optional attempts = "attempts", leaf wire::Whole<u32>;
    optional replayed = "replayed", leaf wire::Flag;
    optional dry_run = "dry_run", leaf wire::Flag;
    => Ok(ToolErrorMeta {
        took_ms,
        attempts,
        replayed: replayed.unwrap_or_default(),
        dry_run: dry_run.unwrap_or_default(),
    })
}
