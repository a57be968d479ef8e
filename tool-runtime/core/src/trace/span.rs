//! The span of a call.

use tool_contracts::{ToolContext, ToolSpec};
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span, dispatcher};
use uuid::Uuid;

use super::SpanIds;
use super::conventions as names;
use super::log_line::{self, LogLine};
use super::otel;
use crate::dispatch::{AnswerOrigin, CallRecord};
use crate::timer::Job;
use crate::tool::CallScope;

/// The span of one call; none without a subscriber.
#[derive(Debug)]
pub(super) struct CallSpan(Span);

impl Default for CallSpan {
    fn default() -> Self {
        Self(Span::none())
    }
}

impl CallSpan {
    /// Opens the span of a call that is about to run.
    pub(super) fn new(scope: &CallScope, ids: SpanIds) -> Self {
        Self::open(Some(scope.tool()), scope.cx(), ids, scope.call_id(), scope.replay_of())
    }

    /// Returns this span, or one of zero length if the call never ran.
    pub(super) fn or_zero_length(self, record: &CallRecord<'_>, ids: SpanIds) -> Self {
        match record.took() {
            None if self.0.is_none() => {
                Self::open(record.spec(), record.cx(), ids, record.call_id(), record.replay_of())
            }
            _ => self,
        }
    }

    /// Returns the span, if it is enabled.
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
        let local = otel::current();
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
        otel::set_parent(&span, local.as_ref(), cx);
        Self(span)
    }

    /// Records how the call ended, emits its log events, and ends the span.
    pub(super) fn close(&self, record: &CallRecord<'_>) {
        let code = error_code(record);
        if let Some(code) = code {
            self.0.record(names::ERROR_TYPE, code);
            self.0.record(names::OTEL_STATUS_CODE, names::ERROR);
        }
        self.0.record(names::CALL_STATUS, record.status().as_str());
        self.0.record(names::CALL_ATTEMPTS, record.attempts());
        self.0.record(names::CALL_ORIGIN, origin(record));
        if is_enabled() {
            let line = LogLine::new(record);
            self.0.in_scope(|| log_line::emit(&line));
            log_line::emit_detail(&line);
        }
        otel::end(&self.0);
    }
}

/// Returns whether a subscriber may be interested in spans or events at `WARN` or below.
pub(super) fn is_enabled() -> bool {
    LevelFilter::current() >= Level::WARN
}

/// Wraps a job so that it runs in the current span, with the current subscriber.
pub(super) fn instrument_job(job: Job) -> Job {
    let span = Span::current();
    if span.is_none() {
        return job;
    }
    let subscriber = dispatcher::get_default(Clone::clone);
    Box::new(move || dispatcher::with_default(&subscriber, || span.in_scope(job)))
}

/// Returns the code of a call's error; none if it has an answer.
pub(super) fn error_code<'r>(record: &CallRecord<'r>) -> Option<&'r str> {
    let error = record.output().error()?;
    Some(error.code().unwrap_or(names::OTHER))
}

pub(super) fn origin(record: &CallRecord<'_>) -> &'static str {
    match record.origin() {
        AnswerOrigin::Call => "call",
        AnswerOrigin::Cache => "cache",
        AnswerOrigin::Replay => "replay",
    }
}
