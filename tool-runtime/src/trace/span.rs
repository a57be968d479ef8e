//! A call's span: opened by what is known before it runs, closed by how it ended.

use tool_contracts::{ToolContext, ToolSpec};
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span, dispatcher};
use uuid::Uuid;

use super::SpanIds;
use super::conventions as names;
use super::line::{self, LogLine};
#[cfg(feature = "otel")]
use super::parent;
use crate::call::CallScope;
use crate::dispatch::{CallRecord, Origin};
use crate::timer::Job;

/// The span of one call; none if nobody listens.
#[derive(Debug)]
pub(super) struct CallSpan(Span);

impl Default for CallSpan {
    fn default() -> Self {
        Self(Span::none())
    }
}

impl CallSpan {
    /// Opens the span of a call that is about to run.
    pub(super) fn of(scope: &CallScope, ids: SpanIds) -> Self {
        Self::open(Some(scope.tool()), scope.cx(), ids, scope.call_id(), scope.replay_of())
    }

    /// This one, or one of no length if the call never ran.
    pub(super) fn or_at_once(self, record: &CallRecord<'_>, ids: SpanIds) -> Self {
        match record.took() {
            None if self.0.is_none() => {
                Self::open(record.spec(), record.cx(), ids, record.call_id(), record.replay_of())
            }
            _ => self,
        }
    }

    /// The span, if there is something to enter.
    pub(super) fn entered(&self) -> Option<&Span> {
        Some(&self.0).filter(|span| !span.is_disabled())
    }

    fn open(
        tool: Option<&ToolSpec>,
        cx: &ToolContext,
        ids: SpanIds,
        call_id: Option<&str>,
        replay_of: Option<Uuid>,
    ) -> Self {
        #[cfg(feature = "otel")]
        let local = parent::current();
        let name = tool.map_or(names::OTHER, ToolSpec::name);
        let span = tracing::info_span!(
            target: names::TARGET,
            "execute_tool",
            { names::OTEL_NAME } = %format_args!("{} {name}", names::EXECUTE_TOOL),
            { names::OTEL_KIND } = names::INTERNAL,
            { names::OTEL_STATUS_CODE } = Empty,
            { names::OPERATION_NAME } = names::EXECUTE_TOOL,
            { names::TOOL_NAME } = name,
            { names::TOOL_TYPE } = names::FUNCTION,
            { names::TOOL_CALL_ID } = call_id,
            { names::TOOL_DESCRIPTION } = tool.map(ToolSpec::description),
            { names::TOOL_EFFECT } = tool.map(|tool| tool.effect().as_str()),
            { names::TOOL_VERSION } = tool.map(ToolSpec::version),
            { names::ERROR_TYPE } = Empty,
            { names::CALL_STATUS } = Empty,
            { names::CALL_ATTEMPTS } = Empty,
            { names::CALL_ORIGIN } = Empty,
            { names::REPLAY_OF } = replay_of.map(tracing::field::display),
            { names::DRY_RUN } = cx.dry_run(),
            { names::INVOCATION_ID } = %cx.invocation_id(),
            { names::TENANT_ID } = %cx.tenant_id(),
            { names::TRACE_ID } = cx.trace_id(),
            { names::RUN_ID } = cx.run_id(),
            { names::INGESTION_RUN_ID } = cx.ingestion_run_id(),
            { names::USER_ID } = ids.user_of(cx),
            { names::SESSION_ID } = ids.session_of(cx),
            { names::SITE_ID } = ids.site_of(cx),
            { names::LANGFUSE_SITE_ID } = ids.langfuse_of(ids.site_of(cx)),
            { names::LANGFUSE_RUN_ID } = ids.langfuse_of(cx.run_id()),
            { names::LANGFUSE_INGESTION_RUN_ID } = ids.langfuse_of(cx.ingestion_run_id()),
        );
        #[cfg(feature = "otel")]
        parent::adopt(&span, local.as_ref(), cx);
        Self(span)
    }

    /// Says how the call ended, leaves the line for the log, and ends.
    pub(super) fn close(&self, record: &CallRecord<'_>) {
        let code = error_code(record);
        if let Some(code) = code {
            self.0.record(names::ERROR_TYPE, code);
            self.0.record(names::OTEL_STATUS_CODE, names::ERROR);
        }
        self.0.record(names::CALL_STATUS, record.status().as_str());
        self.0.record(names::CALL_ATTEMPTS, record.attempts());
        self.0.record(names::CALL_ORIGIN, origin(record));
        if is_enabled(Level::WARN) {
            let line = LogLine::of(record);
            self.0.in_scope(|| line::tell(&line));
            line::tell_detail(&line);
        }
        #[cfg(feature = "otel")]
        parent::end(&self.0);
    }
}

/// Tells whether anybody may listen to spans or events of this level.
fn is_enabled(level: Level) -> bool {
    LevelFilter::current() >= level
}

/// Tells whether anybody may listen at all.
pub(super) fn is_wanted() -> bool {
    is_enabled(Level::WARN)
}

/// Runs a job inside the span that is current here, heard by whoever listens here.
pub(super) fn instrument_job(job: Job) -> Job {
    let span = Span::current();
    if span.is_none() {
        return job;
    }
    let here = dispatcher::get_default(Clone::clone);
    Box::new(move || dispatcher::with_default(&here, || span.in_scope(job)))
}

/// The code of a call's error; none if it was answered.
pub(super) fn error_code<'r>(record: &CallRecord<'r>) -> Option<&'r str> {
    let error = record.output().error()?;
    Some(error.code().unwrap_or(names::OTHER))
}

pub(super) fn origin(record: &CallRecord<'_>) -> &'static str {
    match record.origin() {
        Origin::Call => "call",
        Origin::Cache => "cache",
        Origin::Replay => "replay",
    }
}
