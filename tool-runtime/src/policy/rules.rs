//! What holds for the calls of a tool, a toolkit, or all of them.

use std::time::Duration;

use super::limits::{BreakerConfig, RateLimit};
use super::retry::RetryConfig;

/// Rules for the calls of a tool, a toolkit, or all tools. What is not said is inherited: a tool's
/// own rules win over its toolkit's, and those over the rules for all.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime::policy::{RateLimit, RetryConfig, Rules};
///
/// let rules = Rules::new()
///     .retry(RetryConfig::never())
///     .rate_limit(RateLimit::per_minute(30)?)
///     .max_concurrent(4)
///     .retention(Duration::from_secs(7 * 24 * 3600));
/// # let _ = rules;
/// # Ok::<(), tool_runtime::policy::OutOfRange>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Rules {
    pub(super) retry: Option<RetryConfig>,
    pub(super) breaker: Option<BreakerConfig>,
    pub(super) rate: Option<RateLimit>,
    pub(super) max_concurrent: Option<usize>,
    pub(super) max_queue: Option<usize>,
    pub(super) retention: Option<Duration>,
    pub(super) lease: Option<Duration>,
    pub(super) when_running: Option<WhenRunning>,
    pub(super) require_key: Option<bool>,
    pub(super) bind_preview: Option<bool>,
    pub(super) max_output_bytes: Option<usize>,
}

/// What a repeat of a keyed call gets while the first one still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WhenRunning {
    /// `CONFLICT`, with `retry_after_ms`.
    #[default]
    Refuse,
    /// It waits, within its deadline, and gets the first one's answer.
    Wait,
}

impl Rules {
    /// Starts with nothing said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how often, and how long apart, a failed call is tried; 3 times if nobody says so.
    ///
    /// Only what failed with `RATE_LIMIT`, `TIMEOUT`, `UPSTREAM` or `RETRYABLE` is tried again, and
    /// a write only if it is idempotent, forwards its key, or runs under the caller's idempotency
    /// key; in the last case not after a failure that may have had its effect.
    pub fn retry(mut self, retry: RetryConfig) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Sets a circuit breaker for each tool and tenant: while it is open, calls are answered
    /// `UNAVAILABLE`.
    ///
    /// The failures of one tenant's calls open no other tenant's breaker. A call whose caller
    /// shortened the tool's deadline (`timeouts_ms`) and that ran out of time is no failure of the
    /// tool. Breakers of the 1,024 tenants that called last are kept for each tool.
    pub fn breaker(mut self, breaker: BreakerConfig) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// Sets how many calls of each tool a tenant may make in a time: beyond it `RATE_LIMITED`.
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate = Some(limit);
        self
    }

    /// Sets how many calls of each tool are under way at once; further ones queue.
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = Some(calls);
        self
    }

    /// Sets how many calls of each tool may queue, 64 if nobody says so; further ones are answered
    /// `UNAVAILABLE`.
    pub fn max_queue(mut self, calls: usize) -> Self {
        self.max_queue = Some(calls);
        self
    }

    /// Sets how long an answer is kept under its idempotency key: a day or more. What a tool says
    /// of itself wins.
    pub fn retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Sets how long a key is held without a sign of life of its owner; 30 seconds if nobody says
    /// so. It is renewed three times as often while the tool runs.
    pub fn lease(mut self, time: Duration) -> Self {
        self.lease = Some(time);
        self
    }

    /// Sets what a repeat of a keyed call gets while the first one still runs.
    pub fn when_running(mut self, what: WhenRunning) -> Self {
        self.when_running = Some(what);
        self
    }

    /// Refuses writes without an idempotency key of the caller's.
    pub fn require_idempotency_key(mut self, require: bool) -> Self {
        self.require_key = Some(require);
        self
    }

    /// Makes a dry run before a person is asked, shows them its answer, and binds their decision
    /// to it: if it has changed when the call runs, the answer is `CONFLICT`.
    pub fn bind_preview(mut self, bind: bool) -> Self {
        self.bind_preview = Some(bind);
        self
    }

    /// Sets how many bytes of an answer leave for a model; 64 KiB if nobody says so.
    ///
    /// See [`ToolCall::for_model`](crate::ToolCall::for_model). The answer itself is never cut.
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = Some(bytes);
        self
    }

    /// Fills in what is not said here.
    pub(super) fn or(self, wider: &Self) -> Self {
        let wider = wider.clone();
        Self {
            retry: self.retry.or(wider.retry),
            breaker: self.breaker.or(wider.breaker),
            rate: self.rate.or(wider.rate),
            max_concurrent: self.max_concurrent.or(wider.max_concurrent),
            max_queue: self.max_queue.or(wider.max_queue),
            retention: self.retention.or(wider.retention),
            lease: self.lease.or(wider.lease),
            when_running: self.when_running.or(wider.when_running),
            require_key: self.require_key.or(wider.require_key),
            bind_preview: self.bind_preview.or(wider.bind_preview),
            max_output_bytes: self.max_output_bytes.or(wider.max_output_bytes),
        }
    }
}
