//! The tool under trial: its runtime, one call at a time, and what is heard of each.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::{CallStatus, ToolContext, ToolSpec};

use crate::call::ToolOutput;
use crate::dispatch::{CallRecord, Observe, Origin, Runtime};
use crate::limits::Limits;
use crate::redact::Redactor;
use crate::schema::Validator;
use crate::testing::{Ids, context};

/// What everything is tried on.
pub(super) struct Bench {
    pub(super) runtime: Runtime,
    pub(super) spec: ToolSpec,
    pub(super) cx: ToolContext,
    pub(super) watch: Watch,
    pub(super) input: Value,
    checker: Validator,
    ids: Mutex<Ids>,
}

/// How one call ended.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) output: ToolOutput,
    pub(super) heard: Heard,
    /// By the clock on the wall.
    pub(super) took: Duration,
}

/// What was heard of a call's end.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) status: CallStatus,
    pub(super) took: Option<Duration>,
    pub(super) attempts: u32,
    pub(super) origin: Origin,
    pub(super) log: String,
    pub(super) debug: String,
}

/// Listens to the ends of calls, and keeps the last.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch(Arc<Mutex<Option<Heard>>>);

impl Observe for Watch {
    fn closed(&self, record: &CallRecord<'_>) {
        if record.is_rehearsal() {
            return;
        }
        let heard = Heard {
            status: record.status(),
            took: record.took(),
            attempts: record.attempts(),
            origin: record.origin(),
            log: record.log().to_owned(),
            debug: format!("{record:?}"),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(heard);
    }
}

impl Watch {
    pub(super) fn take(&self) -> Option<Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Bench {
    pub(super) fn new(
        runtime: Runtime,
        name: &str,
        cx: Option<ToolContext>,
        watch: Watch,
    ) -> Result<Self, String> {
        let missing = || format!("no tool `{name}` is registered: give its toolkit, or `with`");
        let spec = runtime.spec(name).ok_or_else(missing)?.clone();
        let input = Value::Object(spec.input_schema().clone());
        let checker = Validator::compile(&input).map_err(|error| error.to_string())?;
        let cx = match cx {
            Some(cx) => cx,
            None => context().build().map_err(|error| error.to_string())?,
        };
        Ok(Self { runtime, spec, cx, watch, input, checker, ids: Mutex::new(Ids::seeded(0)) })
    }

    /// The context of a call of its own.
    pub(super) fn fresh(&self, cx: &ToolContext) -> ToolContext {
        cx.with_invocation_id(self.ids.lock().unwrap_or_else(PoisonError::into_inner).next_id())
    }

    /// Makes one call and waits for its end.
    pub(super) async fn call(&self, text: &str, cx: &ToolContext) -> Attempt {
        let started = Instant::now();
        let mut call = self.runtime.call(self.spec.name(), text, &self.fresh(cx));
        let output = call.execute().await.clone();
        let heard = self.watch.take().unwrap_or_else(|| Heard {
            status: call.status(),
            took: None,
            attempts: 0,
            origin: Origin::Call,
            log: String::new(),
            debug: String::new(),
        });
        Attempt { output, heard, took: started.elapsed() }
    }

    /// An input as a finding may show it.
    pub(super) fn shown(&self, text: &str) -> String {
        const LONGEST: usize = 600;
        let shown = self.checker.redact(text, &Limits::new(), &Masked);
        let shown = shown.unwrap_or_else(|| "no JSON".to_owned());
        match shown.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}… ({} bytes)", &shown[..end], shown.len()),
            None => shown,
        }
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.spec.timeout_ms().unwrap_or(u64::MAX))
    }
}

impl Attempt {
    pub(super) fn is_refused(&self) -> bool {
        self.heard.status == CallStatus::Rejected
    }

    pub(super) fn has_code(&self, code: &str) -> bool {
        self.output.error().and_then(|error| error.code()) == Some(code)
    }
}

/// Personal data is not for everybody either; free text is, as it was made here.
struct Masked;

impl Redactor for Masked {
    fn personal(&self, _: &str) -> String {
        "***".to_owned()
    }

    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}
