//! The measurement of calls: one event when a call starts to run, and one when it ends.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tool_contracts::{CallStatus, ErrorCode, ToolSpec};

use super::UNKNOWN;
use super::budgets;
use super::names::{FUNCTION, OTHER};
use super::recorder::{AttributeValue, LazySeries, Meter, Recorder, Series};
use super::table::{
    CALL_TIMES, CALLS_ACTIVE, CALLS_CACHED, CALLS_ENDED, CALLS_REFUSED, CALLS_REPLAYED,
    CALLS_RETRIED, TOOL_TIMES,
};
use crate::dispatch::{AnswerOrigin, CallRecord};
use crate::failure::FailureCode;

/// The most series of tools that were added later; further tools count as unknown.
const MAX_ADDED_SERIES: usize = 1_000;

/// The metrics of a runtime's calls, and the recorder of its other metrics.
///
/// Recording a call takes a few atomic additions, and a lock only for the first call of a tool with
/// an error code. The values of labels are bounded: the tools of the runtime and their declared error
/// codes. Any other value counts as unknown.
pub struct CallMetrics {
    tools: ArcSwap<HashMap<Arc<str>, Arc<ToolSeries>>>,
    /// The number of series that the tools had at first.
    at_first: usize,
    unknown: Arc<ToolSeries>,
    active: Arc<Series>,
    recorder: Recorder,
}

/// A running call, which counts as running until this is dropped.
#[derive(Debug)]
#[must_use = "the call counts as running only while this is held"]
pub struct ActiveCall<'m> {
    active: &'m Series,
    tool: Arc<ToolSeries>,
}

/// The series of one tool.
#[derive(Debug, Default)]
struct ToolSeries {
    label: Arc<str>,
    /// The value of the attribute: the label, or [`OTHER`].
    attribute: Arc<str>,
    /// Successes first, then the declared error codes, then all other codes as one.
    by_code: Box<[CodeSeries]>,
    retries: LazySeries,
    cache_hits: LazySeries,
    replays: LazySeries,
    call_times: LazySeries,
    tool_times: LazySeries,
}

/// The counters of one error code, or of successes.
#[derive(Debug, Default)]
struct CodeSeries {
    /// The empty text for successes.
    code: Arc<str>,
    ended: LazySeries,
    refused: LazySeries,
}

impl CallMetrics {
    /// Measures the calls of these tools with their declared error codes; exports by the meter if
    /// the host has one.
    pub(crate) fn new<'t>(
        tools: impl Iterator<Item = (&'t str, &'t [FailureCode])>,
        meter: Option<Meter>,
    ) -> Self {
        let tools: HashMap<_, _> = tools.map(named_series).collect();
        let recorder = Recorder::new(meter);
        Self {
            at_first: tools.len(),
            tools: ArcSwap::from_pointee(tools),
            unknown: Arc::new(ToolSeries::new(UNKNOWN.into(), OTHER.into(), &[])),
            active: recorder.series(&CALLS_ACTIVE, []),
            recorder,
        }
    }

    /// Adds the series of tools that have none yet, while there are not too many.
    ///
    /// A removed tool keeps its series: its counts stay true.
    pub(crate) fn add_tools<'t>(&self, tools: impl Iterator<Item = (&'t str, &'t [FailureCode])>) {
        let tool_series = self.tools.load();
        let new = tools.filter(|(name, _)| !tool_series.contains_key(*name));
        let room = (self.at_first + MAX_ADDED_SERIES).saturating_sub(tool_series.len());
        let new: Vec<_> = new.take(room).map(named_series).collect();
        self.tools.rcu(|tools| {
            let mut tools = HashMap::clone(tools);
            for (name, series) in &new {
                tools.entry(name.clone()).or_insert_with(|| series.clone());
            }
            tools
        });
    }

    /// Returns the recorder of the runtime's metrics.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Counts a call as running until the returned value is dropped.
    pub(crate) fn started(&self, tool: &str) -> ActiveCall<'_> {
        let tool = self.tool(Some(tool));
        self.active.add(1, &[tool.attribute()]);
        ActiveCall { active: &self.active, tool }
    }

    /// Records the end of a call.
    pub(crate) fn ended(&self, record: &CallRecord<'_>) {
        let (status, origin, attempts) = (record.status(), record.origin(), record.attempts());
        let error_code = record.output().error().map(|error| error.code().unwrap_or_default());
        let (to, tool) = (&self.recorder, self.tool(record.spec().map(ToolSpec::name)));
        let by_code = tool.by_code(error_code);
        let (label, code) = (&*tool.label, &*by_code.code);
        let (with_tool, with_code) = (tool.attribute(), by_code.attribute());
        let result = if code.is_empty() { "success" } else { "error" };
        let ended_calls = by_code.ended.get(to, &CALLS_ENDED, [label, result, code]);
        ended_calls.add(1, &[with_tool, status.as_str().into(), with_code]);
        let duration = record.took();
        let call_times = tool.call_times.get(to, &CALL_TIMES, [label]);
        call_times.record(duration.unwrap_or_default(), &[with_tool, with_code]);
        if attempts > 1 {
            let retries = tool.retries.get(to, &CALLS_RETRIED, [label]);
            retries.add(u64::from(attempts) - 1, &[with_tool]);
        }
        for record in record.spending() {
            budgets::record(to, &record);
        }
        match origin {
            AnswerOrigin::Call if attempts > 0 => {
                if let Some(duration) = duration {
                    let tool_times = tool.tool_times.get(to, &TOOL_TIMES, [label]);
                    tool_times.record(duration, &[with_tool, FUNCTION.into(), with_code]);
                }
            }
            // A call that was dropped before its tool ran was not refused.
            AnswerOrigin::Call if error_code.is_some() && status != CallStatus::Interrupted => {
                let refused = by_code.refused.get(to, &CALLS_REFUSED, [label, code]);
                refused.add(1, &[with_tool, with_code]);
            }
            AnswerOrigin::Call => {}
            AnswerOrigin::Cache => {
                tool.cache_hits.get(to, &CALLS_CACHED, [label]).add(1, &[with_tool]);
            }
            AnswerOrigin::Replay => {
                tool.replays.get(to, &CALLS_REPLAYED, [label]).add(1, &[with_tool]);
            }
        }
    }

    fn tool(&self, name: Option<&str>) -> Arc<ToolSeries> {
        let tools = self.tools.load();
        name.and_then(|name| tools.get(name)).unwrap_or(&self.unknown).clone()
    }
}

impl ToolSeries {
    fn new(label: Arc<str>, attribute: Arc<str>, codes: &[FailureCode]) -> Self {
        let shared = ErrorCode::ALL.iter().map(|code| code.as_str());
        let is_own =
            |code: &&FailureCode| ErrorCode::ALL.iter().all(|it| it.as_str() != code.as_str());
        let own_codes = codes.iter().filter(is_own).map(FailureCode::as_str);
        let all_codes = [""].into_iter().chain(shared).chain(own_codes).chain([UNKNOWN]);
        Self {
            label,
            attribute,
            by_code: all_codes.map(CodeSeries::new).collect(),
            ..Self::default()
        }
    }

    fn by_code(&self, code: Option<&str>) -> &CodeSeries {
        let Some(code) = code else { return &self.by_code[0] };
        let code_series = self.by_code[1..].iter().find(|series| *series.code == *code);
        code_series.unwrap_or(&self.by_code[self.by_code.len() - 1])
    }

    fn attribute(&self) -> AttributeValue<'_> {
        AttributeValue::Shared(&self.attribute)
    }
}

impl CodeSeries {
    fn new(code: &str) -> Self {
        Self { code: code.into(), ..Self::default() }
    }

    fn attribute(&self) -> AttributeValue<'_> {
        match &*self.code {
            "" => AttributeValue::Absent,
            UNKNOWN => OTHER.into(),
            _ => AttributeValue::Shared(&self.code),
        }
    }
}

impl Drop for ActiveCall<'_> {
    fn drop(&mut self) {
        self.active.subtract(1, &[self.tool.attribute()]);
    }
}

impl fmt::Debug for CallMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallMetrics")
            .field("tools", &self.tools.load().len())
            .field("meter", &self.recorder.meter())
            .finish_non_exhaustive()
    }
}

fn named_series((name, codes): (&str, &[FailureCode])) -> (Arc<str>, Arc<ToolSeries>) {
    let label = Arc::<str>::from(name);
    (label.clone(), Arc::new(ToolSeries::new(label.clone(), label, codes)))
}
