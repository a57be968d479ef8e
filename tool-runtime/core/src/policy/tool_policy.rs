//! Rules that a host sets for a tool, a toolkit, or all tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::articulate::OutputSerializer;

use super::excerpt::ResultFormat;
use super::limits::{BreakerConfig, RateLimit};
use super::retry::RetryConfig;

/// Rules for the calls of a tool, a toolkit, or all tools.
///
/// A rule that is not set is inherited: from the toolkit's rules, then from the rules for all
/// tools.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime::policy::{RateLimit, RetryConfig, ToolPolicy};
///
/// let rules = ToolPolicy::new()
///     .retry(RetryConfig::never())
///     .rate_limit(RateLimit::per_minute(30)?)
///     .max_concurrent(4)
///     .retention(Duration::from_secs(7 * 24 * 3600));
/// # let _ = rules;
/// # Ok::<(), tool_runtime::policy::OutOfRange>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ToolPolicy {
    pub(super) retry: Option<RetryConfig>,
    pub(super) breaker: Option<BreakerConfig>,
    pub(super) rate: Option<RateLimit>,
    pub(super) max_concurrent: Option<usize>,
    pub(super) max_queue: Option<usize>,
    pub(super) retention: Option<Duration>,
    pub(super) lease: Option<Duration>,
    pub(super) on_concurrent_repeat: Option<ConcurrentRepeat>,
    pub(super) require_key: Option<bool>,
    pub(super) bind_preview: Option<bool>,
    pub(super) max_output_bytes: Option<usize>,
    pub(super) result_format: Option<ResultFormat>,
}

/// The answer to a repeat of a keyed call while the first call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ConcurrentRepeat {
    /// The repeat is refused with `CONFLICT` and `retry_after_ms`.
    #[default]
    Refuse,
    /// The repeat waits, within its deadline, and gets the answer of the first call.
    Wait,
}

impl ToolPolicy {
    /// Creates rules of which none is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how often a failed call is tried, and how long it waits in between; three attempts by
    /// default.
    ///
    /// Only failures of type `RATE_LIMIT`, `TIMEOUT`, `UPSTREAM` or `RETRYABLE` are retried. A
    /// write is retried only if it is idempotent, forwards its key, or runs under the caller's
    /// idempotency key; in the last case not after a failure that may have had its effect.
    pub fn retry(mut self, retry: RetryConfig) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Sets a circuit breaker for each tool and tenant: while it is open, calls are answered
    /// `UNAVAILABLE`.
    ///
    /// The failures of one tenant's calls open no other tenant's breaker. A timeout does not count
    /// as a failure if the caller shortened the tool's deadline (`timeouts_ms`). Each tool keeps
    /// the breakers of the 1,024 tenants that called it last.
    pub fn breaker(mut self, breaker: BreakerConfig) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// Sets how often a tenant may call each tool; further calls are answered `RATE_LIMITED`.
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate = Some(limit);
        self
    }

    /// Sets how many calls of each tool run at once; further calls queue.
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = Some(calls);
        self
    }

    /// Sets how many calls of each tool may queue, 64 by default; further calls are answered
    /// `UNAVAILABLE`.
    pub fn max_queue(mut self, calls: usize) -> Self {
        self.max_queue = Some(calls);
        self
    }

    /// Sets how long an answer is kept under its idempotency key: a day or more. The tool's own
    /// `retention` overrides it.
    pub fn retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Sets the lease of an idempotency key, 30 seconds by default. While the tool runs, the lease
    /// is renewed each third of that time.
    pub fn lease(mut self, time: Duration) -> Self {
        self.lease = Some(time);
        self
    }

    /// Sets the answer to a repeat of a keyed call while the first call runs; a refusal by default.
    pub fn on_concurrent_repeat(mut self, answer: ConcurrentRepeat) -> Self {
        self.on_concurrent_repeat = Some(answer);
        self
    }

    /// Refuses writes to which the caller gives no idempotency key.
    pub fn require_idempotency_key(mut self, require: bool) -> Self {
        self.require_key = Some(require);
        self
    }

    /// Binds an approval to a dry run: the call makes a dry run before the approver is asked, who sees
    /// the answer. If a dry run answers differently when the call runs, the call is answered
    /// `CONFLICT`.
    pub fn bind_preview(mut self, bind: bool) -> Self {
        self.bind_preview = Some(bind);
        self
    }

    /// Sets how many bytes of an answer a model gets; 64 KiB by default.
    ///
    /// See [`ToolCall::for_model`](crate::ToolCall::for_model). The output of the call is never
    /// cut.
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = Some(bytes);
        self
    }

    /// Serializes the results that a model reads, for example by
    /// [`Articulator`](crate::articulate::Articulator), which writes tables as TOON. Without it a
    /// model reads JSON.
    ///
    /// See [`ToolCall::for_model`](crate::ToolCall::for_model). The output of the call stays JSON.
    pub fn result_serializer(
        mut self,
        serializer: impl OutputSerializer + fmt::Debug + Send + Sync + 'static,
    ) -> Self {
        self.result_format = Some(ResultFormat::Serializer(Arc::new(serializer)));
        self
    }

    /// Keeps the results that a model reads as JSON, where wider rules have a
    /// [serializer](Self::result_serializer).
    pub fn json_results(mut self) -> Self {
        self.result_format = Some(ResultFormat::Json);
        self
    }

    /// Fills in the rules that are not set from wider ones.
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
            on_concurrent_repeat: self.on_concurrent_repeat.or(wider.on_concurrent_repeat),
            require_key: self.require_key.or(wider.require_key),
            bind_preview: self.bind_preview.or(wider.bind_preview),
            max_output_bytes: self.max_output_bytes.or(wider.max_output_bytes),
            result_format: self.result_format.or(wider.result_format),
        }
    }
}
