//! What a call and its tool share while the call lives.

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tool_contracts::{ErrorCode, ToolContext, ToolSpec, Violation};

use super::cancellation::CancelFlag;
use super::finished::{End, Finished};
use super::guarded::guard;
use super::host::{MetaDraft, ProgressSink};
use super::output::ToolOutput;
use super::stage::Stage;
use crate::__private::arguments::{self, Fields, ReadArguments};
use crate::dispatch::Runtime;
use crate::failure::{Failure, Fault};
use crate::registry::Registered;
use crate::schema::{Malformed, Report};

/// One call, as its tool and the values made from it see it. A handle: cloning it is cheap.
#[derive(Clone)]
pub struct CallScope(Arc<Shared>);

struct Shared {
    runtime: Runtime,
    tool: Arc<Registered>,
    call_id: Option<Box<str>>,
    arguments: Box<str>,
    cx: ToolContext,
    stage: Stage,
    cancel: Arc<CancelFlag>,
    /// What a batch had used of the context's budget before this call's turn came.
    spent_ms: AtomicU64,
    /// Whether the typed reader has read all of the raw arguments.
    read_whole: AtomicBool,
    /// What the checker found, where it had to look.
    reading: OnceLock<Box<Report>>,
    /// Violations that only the typed reader could find, and its own words for the log.
    refusal: OnceLock<(Vec<Violation>, String)>,
    meta: Mutex<Option<Box<MetaDraft>>>,
    progress: Mutex<Option<ProgressSink>>,
}

impl CallScope {
    pub(crate) fn new(
        runtime: Runtime,
        tool: Arc<Registered>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {
        Self(Arc::new(Shared {
            runtime,
            tool,
            call_id,
            arguments,
            cx,
            stage: Stage::default(),
            cancel: Arc::default(),
            spent_ms: AtomicU64::new(0),
            read_whole: AtomicBool::new(false),
            reading: OnceLock::new(),
            refusal: OnceLock::new(),
            meta: Mutex::new(None),
            progress: Mutex::new(None),
        }))
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        &self.0.cx
    }

    /// Returns the tool that is called.
    #[must_use]
    pub fn tool(&self) -> &ToolSpec {
        &self.0.tool.spec
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.0.call_id.as_deref()
    }

    /// Returns the admitted arguments as JSON text: as sent, with lossless slips mended.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.reading().and_then(|reading| reading.coerced.as_deref()).unwrap_or(&self.0.arguments)
    }

    /// Reads the admitted arguments into a type, as a dynamic tool's closure does.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the type cannot be read from arguments that the schema admits.
    pub fn parse<'s, T: Deserialize<'s>>(&'s self) -> Result<T, Failure> {
        serde_json::from_str(self.arguments()).map_err(|_| Failure::of(ErrorCode::InvalidArgument))
    }

    /// Returns the host's state of this type, if the builder was given one.
    #[must_use]
    pub fn state<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.runtime.states().get::<T>().map(|state| &**state)
    }

    /// Tells whether the tool must perform no effect.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.0.cx.dry_run()
    }

    /// How long the tool may run: its own deadline, or the context's budget if that is sooner.
    pub(crate) fn budget(&self) -> Duration {
        let own = self.0.tool.timeout;
        let spent = self.0.spent_ms.load(Ordering::Relaxed);
        let left = |budget: u64| Duration::from_millis(budget.saturating_sub(spent));
        self.0.cx.timeouts_ms().map_or(own, |budget| own.min(left(budget)))
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn registered(&self) -> &Registered {
        &self.0.tool
    }

    /// The arguments exactly as the model sent them.
    pub(crate) fn raw(&self) -> &str {
        &self.0.arguments
    }

    pub(crate) fn cancel_flag(&self) -> &Arc<CancelFlag> {
        &self.0.cancel
    }

    /// Says how much of the context's budget a batch has used already.
    pub(crate) fn spend(&self, spent: Duration) {
        let spent_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        self.0.spent_ms.store(spent_ms, Ordering::Relaxed);
    }

    pub(crate) fn progress_sink(&self) -> Option<ProgressSink> {
        self.lock_progress().clone()
    }

    /// Sets who listens to progress; the last listener stays.
    pub(crate) fn set_progress_sink(&self, sink: ProgressSink) {
        *self.lock_progress() = Some(sink);
    }

    fn lock_progress(&self) -> MutexGuard<'_, Option<ProgressSink>> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.0.stage
    }

    /// Ends the call for its tool: nothing it does from now on reaches the output.
    ///
    /// Returns whether the tool had begun, and what it recorded.
    pub(crate) fn end(&self) -> (bool, Option<Box<MetaDraft>>) {
        let listener = self.lock_progress().take();
        drop(guard(|| drop(listener)));
        let mut meta = self.lock_meta();
        (self.0.stage.end(), meta.take())
    }

    pub(crate) fn with_meta(&self, change: impl FnOnce(&mut MetaDraft)) {
        let mut meta = self.lock_meta();
        // Under the lock, so that `end` cannot slip in between.
        if !self.0.stage.has_ended() {
            change(meta.get_or_insert_default());
        }
    }

    fn lock_meta(&self) -> MutexGuard<'_, Option<Box<MetaDraft>>> {
        self.0.meta.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reading(&self) -> Option<&Report> {
        self.0.reading.get().map(|reading| &**reading)
    }

    /// Checks the raw arguments by the schema, once, and keeps what was found.
    pub(crate) fn read_by_schema(&self) -> &Report {
        self.0.reading.get_or_init(|| {
            let tool = &self.0.tool;
            let limits = self.0.runtime.limits();
            Box::new(tool.input.check(&self.0.arguments, limits, tool.coerce))
        })
    }

    pub(crate) fn malformed(&self) -> Option<&Malformed> {
        self.reading()?.malformed.as_ref()
    }

    pub(crate) fn violations(&self) -> &[Violation] {
        match self.0.refusal.get() {
            Some((violations, _)) => violations,
            None => self.reading().map_or(&[], |reading| &reading.violations),
        }
    }

    /// What the typed reader said of arguments that only it refused; for the log.
    pub(crate) fn refusal_log(&self) -> &str {
        self.0.refusal.get().map_or("", |(_, log)| log)
    }

    /// The echo of the arguments that may be shown to the caller; none if they are not JSON.
    pub(crate) fn echo(&self) -> Option<&str> {
        let has_secrets = self.0.tool.has_secrets;
        if self.0.read_whole.load(Ordering::Relaxed) && !has_secrets {
            return Some(&self.0.arguments);
        }
        // Nothing is shown that no reader has accepted.
        let reading = self.read_by_schema();
        // A number that no reader can hold would make the whole envelope unreadable.
        if reading.violations.iter().any(|violation| violation.rule() == "precision") {
            return None;
        }
        match (&reading.malformed, has_secrets) {
            (Some(_), _) => None,
            (None, true) => reading.masked.as_deref(),
            (None, false) => Some(&self.0.arguments),
        }
    }
}

/// What generated code calls.
#[doc(hidden)]
impl CallScope {
    /// Reads the arguments into a tuple; a slip is mended or explained by the schema.
    ///
    /// # Errors
    /// The call is refused; the scope knows why.
    pub fn read<'s, A>(&'s self, fields: Fields, defaults: A::Defaults) -> Result<A, Finished>
    where
        A: ReadArguments<'s, Defaults: Copy>,
    {
        match arguments::read(self.arguments(), fields, defaults) {
            Ok(arguments) => {
                self.0.read_whole.store(true, Ordering::Relaxed);
                Ok(arguments)
            }
            Err(error) => {
                let mended = self.second_look(&error)?;
                let read = arguments::read(mended, fields, defaults);
                read.map_err(|error| self.unexplained(&error))
            }
        }
    }

    fn second_look(&self, error: &serde_json::Error) -> Result<&str, Finished> {
        if self.reading().is_some() {
            return Err(self.unexplained(error));
        }
        let reading = self.read_by_schema();
        if reading.malformed.is_some() || !reading.violations.is_empty() {
            return Err(Finished(End::Refused));
        }
        match &reading.coerced {
            Some(mended) => Ok(mended),
            None => Err(self.unexplained(error)),
        }
    }

    /// The schema admits the arguments and the type does not: say where it stopped.
    fn unexplained(&self, error: &serde_json::Error) -> Finished {
        let text = self.arguments();
        let offset = byte_offset(text, error.line(), error.column());
        let limits = self.0.runtime.limits();
        let violation = self.0.tool.input.violation_at(text, offset, limits);
        self.refuse(vec![violation], error.to_string())
    }

    /// Refuses arguments that a typed check found out of bounds.
    #[must_use]
    pub fn out_of_bounds(&self) -> Finished {
        let limits = self.0.runtime.limits();
        let report = self.0.tool.input.check(self.arguments(), limits, self.0.tool.coerce);
        let mut violations = report.violations;
        if violations.is_empty() {
            violations.push(Violation::new("", "bounds", "arguments within the tool's bounds", ""));
        }
        self.refuse(violations, String::new())
    }

    fn refuse(&self, violations: Vec<Violation>, log: String) -> Finished {
        drop(self.0.refusal.set((violations, log)));
        Finished(End::Refused)
    }

    /// Waits until the call is executed: a deferred call stands here.
    pub fn gate(&self) -> impl Future<Output = ()> + Send + '_ {
        Gate(self)
    }

    /// Finds a host value in the slot that `build()` filled.
    ///
    /// # Errors
    /// A fault of the runtime where the slot is empty.
    pub fn slot<T: ?Sized + Send + Sync + 'static>(
        &self,
        slot: usize,
    ) -> Result<&Arc<T>, Finished> {
        let found = self.0.tool.slots.get(slot).and_then(Option::as_ref);
        found.and_then(|value| value.downcast_ref()).ok_or_else(|| {
            let log = format!("no `{}` in slot {slot}", type_name::<T>());
            self.failed(Fault::new(Failure::of(ErrorCode::Internal), None, log))
        })
    }

    /// Finds the toolkit that a method stands on.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn toolkit<T: Send + Sync + 'static>(&self, slot: usize) -> Result<&Arc<T>, Finished> {
        self.slot(slot)
    }

    /// Writes an answer into the envelope.
    pub fn succeeded<T: Serialize + ?Sized>(&self, value: &T) -> Finished {
        let mut answer = ToolOutput::begin(self);
        match answer.write(value) {
            Ok(()) => Finished(End::Answered(answer)),
            Err(error) => self.failed(Fault::new(
                Failure::of(ErrorCode::InvalidOutput),
                None,
                format!("the answer cannot be written as JSON: {error}"),
            )),
        }
    }

    /// Ends the call with the tool's error.
    #[must_use]
    pub fn failed(&self, fault: Fault) -> Finished {
        Finished(End::Failed(fault))
    }

    /// Runs a blocking tool off the async threads.
    pub async fn run_blocking(
        self,
        work: impl FnOnce(&Self) -> Finished + Send + 'static,
    ) -> Finished {
        super::blocking::run(&self, work).await
    }
}

impl fmt::Debug for CallScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallScope")
            .field("tool", &self.tool().name())
            .field("call_id", &self.call_id())
            .field("cx", self.cx())
            .finish_non_exhaustive()
    }
}

struct Gate<'c>(&'c CallScope);

impl Future for Gate<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        // No waker: `execute` polls again once it has opened the gate.
        if self.0.0.stage.pass() { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Turns the line and column of a serde error (both from 1, the column in bytes) into an offset.
fn byte_offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}
