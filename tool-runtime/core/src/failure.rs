//! The public meaning of a tool's error: a code, a message, advice.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

use crate::effect_state::EffectState;
use crate::refusal_reason::RefusalReason;

/// Describes each failure of an error type to the caller.
///
/// Derive it with [`#[derive(ToolFailure)]`](macro@tool_runtime_derive::ToolFailure); implement it by hand for a
/// type whose meaning is computed. A tool's error that does not implement it is answered with type
/// `FATAL`, code `INTERNAL` and a generic message; its own text goes to the log only.
///
/// ```
/// use tool_runtime::contracts::ErrorCode;
/// use tool_runtime::{Failure, FailureCode, ToolFailure};
///
/// #[derive(Debug)]
/// struct Busy { wait_ms: u64 }
///
/// impl ToolFailure for Busy {
///     fn failure(&self) -> Failure {
///         Failure::new(FailureCode::standard(ErrorCode::Unavailable))
///             .with_message("the index is being rebuilt")
///             .with_retry_after_ms(self.wait_ms)
///     }
///     fn codes() -> &'static [FailureCode] {
///         const { &[FailureCode::standard(ErrorCode::Unavailable)] }
///     }
/// }
/// assert_eq!(Busy { wait_ms: 50 }.failure().code().as_str(), "UNAVAILABLE");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `ToolFailure`",
    note = "derive it: `#[derive(ToolFailure)]` with a `#[failure(CODE)]` on each variant"
)]
pub trait ToolFailure {
    /// Describes this failure to the caller.
    fn failure(&self) -> Failure;

    /// Lists every code that [`failure`](Self::failure) may carry.
    fn codes() -> &'static [FailureCode]
    where
        Self: Sized;
}

/// A standard code, or one of a tool's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FailureCode(FailureCodeKind);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FailureCodeKind {
    Standard(ErrorCode),
    Own { code: &'static str, error_type: ToolErrorType },
}

impl FailureCode {
    /// Creates a code from a standard one, with the type that belongs to it.
    #[must_use]
    pub const fn standard(code: ErrorCode) -> Self {
        Self(FailureCodeKind::Standard(code))
    }

    /// Creates a tool's own code with its type, which tells a program how to react.
    ///
    /// # Panics
    /// Panics if the code is empty, or is a standard code, whose type is fixed. In a constant, the
    /// panic is a compile error.
    #[must_use]
    pub const fn own(code: &'static str, error_type: ToolErrorType) -> Self {
        assert!(!code.is_empty(), "a tool's own code must not be empty");
        let mut index = 0;
        while index < ErrorCode::ALL.len() {
            let standard = ErrorCode::ALL[index].as_str();
            assert!(!same(standard, code), "this is a standard code: use `FailureCode::standard`");
            index += 1;
        }
        Self(FailureCodeKind::Own { code, error_type })
    }

    /// Returns the code's text on the wire.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self.0 {
            FailureCodeKind::Standard(code) => code.as_str(),
            FailureCodeKind::Own { code, .. } => code,
        }
    }

    /// Returns the code's type.
    #[must_use]
    pub fn error_type(&self) -> ToolErrorType {
        match self.0 {
            FailureCodeKind::Standard(code) => code.error_type(),
            FailureCodeKind::Own { error_type, .. } => error_type,
        }
    }

    fn generic_message(self) -> &'static str {
        match self.0 {
            FailureCodeKind::Standard(code) => code.default_message(),
            FailureCodeKind::Own { .. } => "the tool could not do this",
        }
    }
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while one.len() == other.len() && index < one.len() && one[index] == other[index] {
        index += 1;
    }
    one.len() == other.len() && index == one.len()
}

/// The public half of an error: what the caller of a failed call reads.
///
/// Without a message, the code's generic text is used.
#[derive(Debug, Clone)]
#[must_use]
pub struct Failure(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    code: FailureCode,
    message: Option<Cow<'static, str>>,
    details: Map<String, Value>,
    retry_after_ms: Option<u64>,
    upstream_status: Option<u16>,
    endpoint: Option<String>,
    log: String,
}

impl Failure {
    /// Starts a failure of this code, with the code's generic message.
    pub fn new(code: FailureCode) -> Self {
        Self(Box::new(Parts {
            code,
            message: None,
            details: Map::new(),
            retry_after_ms: None,
            upstream_status: None,
            endpoint: None,
            log: String::new(),
        }))
    }

    /// Starts a failure of a standard code.
    pub fn from_code(code: ErrorCode) -> Self {
        Self::new(FailureCode::standard(code))
    }

    /// Sets the public message. A model reads it: no secret, no rejected value, no internal text.
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = Some(message.into());
        self
    }

    /// Sets the delay before the next attempt, in milliseconds.
    pub fn with_retry_after_ms(mut self, milliseconds: u64) -> Self {
        self.0.retry_after_ms = Some(milliseconds);
        self
    }

    /// Passes on the HTTP or gRPC status that an upstream service answered with.
    pub fn with_upstream_status(mut self, status: u16) -> Self {
        self.0.upstream_status = Some(status);
        self
    }

    /// Passes on an upstream service's own code, as `details.upstream_code`; `null` adds nothing.
    pub fn with_upstream_code(self, code: impl Serialize) -> Self {
        match serde_json::to_value(code) {
            Ok(Value::Null) | Err(_) => self,
            Ok(code) => self.with_detail("upstream_code", code),
        }
    }

    /// Names the upstream endpoint or queue.
    pub fn with_endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.0.endpoint = Some(endpoint.into());
        self
    }

    /// Adds an entry to `details`; a value that is not JSON is left out.
    pub fn with_detail(mut self, key: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.0.details.insert(key.into(), value);
        }
        self
    }

    /// Sets `details.reason` of a failure that the runtime itself decided on.
    pub fn with_reason(self, reason: RefusalReason) -> Self {
        self.with_detail("reason", reason)
    }

    /// Returns whether the tool failed because it needs an answer of the user first.
    pub(crate) fn asks_for_input(&self) -> bool {
        let word = RefusalReason::InputRequired.as_str();
        self.code() == FailureCode::standard(ErrorCode::NeedsUserConfirmation)
            && self.0.details.get("reason").is_some_and(|reason| reason == word)
    }

    /// Marks a failed write that may have had its effect, for example after a lost connection.
    ///
    /// The runtime does not retry such a call, unless the tool is idempotent or forwards its key.
    /// Under an idempotency key, the outcome is unknown until it is reconciled or resolved. A write
    /// that fails with type `TIMEOUT` or `UPSTREAM` is treated the same without this mark. The
    /// caller reads `details.effect = "unknown"`.
    pub fn with_effect_unknown(self) -> Self {
        self.with_effect(EffectState::Unknown)
    }

    /// Marks a failed write that had no effect, for example because no connection could be made.
    ///
    /// Without it, a write that fails with type `TIMEOUT` or `UPSTREAM` may have had its effect:
    /// see [`with_effect_unknown`](Self::with_effect_unknown).
    pub fn with_effect_none(self) -> Self {
        self.with_effect(EffectState::None)
    }

    /// Sets `details.effect`.
    pub fn with_effect(self, effect: EffectState) -> Self {
        self.with_detail(EffectState::KEY, effect.as_str())
    }

    /// Adds what only the log may read, such as an error and its sources.
    pub fn with_log(mut self, text: impl Into<String>) -> Self {
        self.0.log = text.into();
        self
    }

    /// Returns the code.
    #[must_use]
    pub fn code(&self) -> FailureCode {
        self.0.code
    }

    /// Returns the public message.
    #[must_use]
    pub fn message(&self) -> &str {
        self.0.message.as_deref().unwrap_or_else(|| self.0.code.generic_message())
    }

    /// Returns whether a failed write may have had its effect: by its mark, else by its type.
    pub fn leaves_effect_unknown(&self) -> bool {
        let effect = self.0.details.get(EffectState::KEY).and_then(Value::as_str);
        match effect.and_then(EffectState::parse) {
            Some(EffectState::Unknown) => true,
            Some(EffectState::None) => false,
            // The mark is absent, or the value is a detail of the tool itself.
            Some(EffectState::Done) | None => may_have_had_effect(self.0.code.error_type()),
        }
    }

    pub(crate) fn retry_after_ms(&self) -> Option<u64> {
        self.0.retry_after_ms
    }

    pub(crate) fn into_detail(self, cause: Option<&str>) -> ToolErrorDetail {
        let message = self.message().to_owned();
        let retry_after_ms = self.retry_after_ms();
        let Parts { code, details, upstream_status, endpoint, .. } = *self.0;
        let mut detail = ToolErrorDetail::builder(code.error_type(), message).code(code.as_str());
        if let Some(cause) = cause {
            detail = detail.cause(cause.to_owned());
        }
        if !details.is_empty() {
            detail = detail.details(details);
        }
        if let Some(milliseconds) = retry_after_ms {
            detail = detail.retry_after_ms(milliseconds);
        }
        if let Some(status) = upstream_status {
            detail = detail.upstream_status(status);
        }
        if let Some(endpoint) = endpoint {
            detail = detail.endpoint(endpoint);
        }
        detail.build()
    }
}

impl<E: ToolFailure> From<E> for Failure {
    fn from(error: E) -> Self {
        error.failure()
    }
}

/// Returns whether a failure of this type alone leaves open if the call had its effect.
#[must_use]
pub fn may_have_had_effect(error_type: ToolErrorType) -> bool {
    matches!(error_type, ToolErrorType::Timeout | ToolErrorType::Upstream)
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self::from_code(code)
    }
}

/// A failure with what only the log may read.
#[derive(Debug)]
pub struct LoggedFailure {
    pub(crate) failure: Failure,
    pub(crate) cause: Option<&'static str>,
    pub(crate) log: String,
}

impl LoggedFailure {
    /// Wraps what an error declares, keeping its chain for the log.
    #[must_use]
    pub fn new(failure: Failure, cause: Option<&'static str>, log: String) -> Self {
        Self { failure, cause, log }
    }

    /// Wraps a failure that has no error behind it.
    pub(crate) fn plain(mut failure: Failure) -> Self {
        let log = std::mem::take(&mut failure.0.log);
        Self::new(failure, None, log)
    }
}
