//! The runtime for the tool under test, and an observer of its calls.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::{CallStatus, ToolContext, ToolSpec};
use tool_runtime_core::dispatch::{AnswerOrigin, CallRecord, Observe};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::{PanicWatch, ToolOutput};
use tool_runtime_schema::Limits;
use tool_runtime_schema::redact::Redactor;
use tool_runtime_schema::schema::Validator;

use crate::{Ids, context};

/// The runtime, the tool and the context of a trial.
pub(super) struct TrialRuntime {
    pub(super) runtime: Runtime,
    pub(super) spec: ToolSpec,
    pub(super) cx: ToolContext,
    pub(super) observer: CallObserver,
    panics: PanicWatch,
    pub(super) input: Value,
    checker: Validator,
    ids: Mutex<Ids>,
}

/// The end of one call.
#[derive(Debug, Clone)]
pub(super) struct TrialCall {
    pub(super) output: ToolOutput,
    pub(super) call_end: CallEnd,
    /// The place of a panic, if the tool panicked: file, line and column.
    pub(super) panicked_at: Option<String>,
    /// Measured in real time.
    pub(super) took: Duration,
}

/// The record of a call's end.
#[derive(Debug, Clone)]
pub(super) struct CallEnd {
    pub(super) status: CallStatus,
    pub(super) took: Option<Duration>,
    pub(super) attempts: u32,
    pub(super) origin: AnswerOrigin,
    pub(super) log: String,
    pub(super) debug: String,
}

/// Observes the ends of calls, and keeps the last.
#[derive(Debug, Clone, Default)]
pub(super) struct CallObserver(Arc<Mutex<Option<CallEnd>>>);

impl Observe for CallObserver {
    fn call_ended(&self, record: &CallRecord<'_>) {
        if record.is_approval_dry_run() {
            return;
        }
        let call_end = CallEnd {
            status: record.status(),
            took: record.took(),
            attempts: record.attempts(),
            origin: record.origin(),
            log: record.log().to_owned(),
            debug: format!("{record:?}"),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(call_end);
    }
}

impl CallObserver {
    pub(super) fn take(&self) -> Option<CallEnd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl TrialRuntime {
    pub(super) fn new(
        runtime: Runtime,
        name: &str,
        cx: Option<ToolContext>,
        (observer, panics): (CallObserver, PanicWatch),
    ) -> Result<Self, String> {
        let spec = runtime.spec(name).ok_or_else(|| super::not_registered(name))?;
        let spec = Arc::unwrap_or_clone(spec);
        let input = Value::Object(spec.input_schema().clone());
        let checker = Validator::compile(&input).map_err(|error| error.to_string())?;
        let cx = match cx {
            Some(cx) => cx,
            None => context().build().map_err(|error| error.to_string())?,
        };
        let ids = Mutex::new(Ids::seeded(0));
        Ok(Self { runtime, spec, cx, observer, panics, input, checker, ids })
    }

    /// Returns the context with a new invocation id.
    pub(super) fn fresh(&self, cx: &ToolContext) -> ToolContext {
        cx.with_invocation_id(self.ids.lock().unwrap_or_else(PoisonError::into_inner).next_id())
    }

    /// Makes one call and waits for its end.
    pub(super) async fn call(&self, text: &str, cx: &ToolContext) -> TrialCall {
        let started = Instant::now();
        drop(self.panics.take_place());
        let mut call = self.runtime.call(self.spec.name(), text, &self.fresh(cx));
        let output = call.execute().await.clone();
        let call_end = self.observer.take().unwrap_or_else(|| CallEnd {
            status: call.status(),
            took: None,
            attempts: 0,
            origin: AnswerOrigin::Call,
            log: String::new(),
            debug: String::new(),
        });
        let panicked_at = self.panics.take_place();
        TrialCall { output, call_end, panicked_at, took: started.elapsed() }
    }

    /// Formats an input for a finding.
    pub(super) fn shown(&self, text: &str) -> String {
        const MAX_CHARS: usize = 600;
        let redacted_text = self.checker.redact(text, &Limits::new(), &PersonalMasked);
        let redacted_text = redacted_text.unwrap_or_else(|| "no JSON".to_owned());
        match redacted_text.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}… ({} bytes)", &redacted_text[..end], redacted_text.len()),
            None => redacted_text,
        }
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.spec.timeout_ms().unwrap_or(u64::MAX))
    }
}

impl TrialCall {
    pub(super) fn is_refused(&self) -> bool {
        self.call_end.status == CallStatus::Rejected
    }

    pub(super) fn has_code(&self, code: &str) -> bool {
        self.output.error().and_then(|error| error.code()) == Some(code)
    }
}

/// Masks personal data too; free text is shown, since the trial made it.
struct PersonalMasked;

impl Redactor for PersonalMasked {
    fn personal(&self, _: &str) -> String {
        "***".to_owned()
    }

    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}
