//! The measurement of calls: one event when a call starts to run, and one when it ends.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tool_contracts::{CallStatus, ErrorCode};

use super::AgentMetrics;
use super::distribution::Distribution;
use super::instruments::{AttributeValue, Counter, Histogram, Meter, UpDownCounter};
use super::names::{FUNCTION, OTHER};
use super::table::{
    CALL_TIMES, CALLS_ACTIVE, CALLS_CACHED, CALLS_ENDED, CALLS_REFUSED, CALLS_REPLAYED,
    CALLS_RETRIED, TOOL_TIMES,
};
use crate::failure::FailureCode;

/// The value of a label at `/metrics` that stands for an unknown tool, code or model.
pub(super) const UNKNOWN: &str = "unknown";

/// The most series of tools that were added later; further tools count as unknown.
const MAX_ADDED_SERIES: usize = 1_000;

/// The metrics of a runtime's calls, and of its agents; recording a call takes a few atomic additions and no lock.
///
/// The values of labels are bounded: the tools of the runtime and their declared error codes. Any
/// other value counts as unknown.
pub struct CallMetrics {
    pub(super) tools: ArcSwap<HashMap<Box<str>, Arc<ToolSeries>>>,
    /// The number of series that the tools had at first.
    at_first: usize,
    pub(super) unknown: Arc<ToolSeries>,
    pub(super) agents: AgentMetrics,
    pub(super) meter: Option<Meter>,
    instruments: Option<CallInstruments>,
}

/// The labels and values that the metrics count of an ended call.
#[derive(Debug)]
pub struct MeasuredCall<'c> {
    /// `None` if no tool has the name.
    pub(crate) tool: Option<&'c str>,
    pub(crate) status: CallStatus,
    /// `None` without an error, the empty text for an error without a code.
    pub(crate) code: Option<&'c str>,
    /// `None` if the call never ran.
    pub(crate) took: Option<Duration>,
    pub(crate) attempts: u32,
    pub(crate) source: AnswerSource,
}

/// The source of a call's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerSource {
    /// The call itself.
    Call,
    Cache,
    /// An earlier call under the same key.
    EarlierCall,
}

/// A running call, which counts as running until this is dropped.
#[derive(Debug)]
#[must_use = "the call counts as running only while this is held"]
pub struct ActiveCall<'m> {
    series: Arc<ToolSeries>,
    instrument: Option<&'m UpDownCounter>,
}

/// The metrics of one tool.
#[derive(Debug)]
pub struct ToolSeries {
    /// The value of the attribute.
    pub(super) name: Arc<str>,
    /// Those of successes first, then by error code, those of undeclared codes last.
    pub(super) by_code: Box<[CodeSeries]>,
    pub(super) active: AtomicU64,
    pub(super) retries: AtomicU64,
    pub(super) cache_hits: AtomicU64,
    pub(super) replays: AtomicU64,
    pub(super) call_times: Distribution,
    pub(super) tool_times: Distribution,
}

/// The counters of one error code, or of successes.
#[derive(Debug)]
pub(crate) struct CodeSeries {
    /// The empty text for successes.
    pub(super) code: Arc<str>,
    pub(super) ended: AtomicU64,
    pub(super) refused: AtomicU64,
}

#[derive(Debug)]
struct CallInstruments {
    ended: Counter,
    refused: Counter,
    call_times: Histogram,
    tool_times: Histogram,
    active: UpDownCounter,
    retries: Counter,
    cache_hits: Counter,
    replays: Counter,
}

impl CallMetrics {
    /// Creates the series of these tools with their declared error codes, and the instruments of
    /// the meter if the host has one.
    pub(crate) fn new<'t>(
        tools: impl Iterator<Item = (&'t str, &'t [FailureCode])>,
        meter: Option<Meter>,
    ) -> Self {
        let instruments = meter.as_ref().map(CallInstruments::new);
        let tools: HashMap<_, _> = tools.map(named_series).collect();
        let (at_first, tools) = (tools.len(), ArcSwap::from_pointee(tools));
        let (unknown, agents) = (ToolSeries::new(OTHER, &[]), AgentMetrics::new(meter.as_ref()));
        Self { tools, at_first, unknown: Arc::new(unknown), agents, meter, instruments }
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

    /// Counts a call as running until the returned value is dropped.
    pub(crate) fn started(&self, tool: &str) -> ActiveCall<'_> {
        let series = self.series(Some(tool));
        series.active.fetch_add(1, Ordering::Relaxed);
        let instrument = self.instruments.as_ref().map(|instruments| &instruments.active);
        if let Some(instrument) = instrument {
            instrument.add(1, [series.attribute()]);
        }
        ActiveCall { series, instrument }
    }

    /// Records the end of a call.
    pub(crate) fn ended(&self, call: &MeasuredCall<'_>) {
        let series = self.series(call.tool);
        let by_code = series.by_code(call.code);
        let is_refused = call.is_refused();
        let retries = u64::from(call.attempts.saturating_sub(1));
        let took = call.took.unwrap_or_default();
        let tool_took = call.took.filter(|_| call.has_run_its_tool());
        add(&by_code.ended, 1);
        add(&by_code.refused, u64::from(is_refused));
        add(&series.retries, retries);
        add(&series.cache_hits, u64::from(call.source == AnswerSource::Cache));
        add(&series.replays, u64::from(call.source == AnswerSource::EarlierCall));
        series.call_times.add_duration(took);
        if let Some(took) = tool_took {
            series.tool_times.add_duration(took);
        }
        let Some(to) = &self.instruments else { return };
        let (by_tool, with_code) = (|| series.attribute(), || by_code.attribute());
        to.ended.add(1, [by_tool(), AttributeValue::text(call.status.as_str()), with_code()]);
        to.call_times.record(took, [by_tool(), with_code()]);
        if is_refused {
            to.refused.add(1, [by_tool(), with_code()]);
        }
        if retries > 0 {
            to.retries.add(retries, [by_tool()]);
        }
        match call.source {
            AnswerSource::Call => {}
            AnswerSource::Cache => to.cache_hits.add(1, [by_tool()]),
            AnswerSource::EarlierCall => to.replays.add(1, [by_tool()]),
        }
        if let Some(took) = tool_took {
            to.tool_times.record(took, [by_tool(), AttributeValue::text(FUNCTION), with_code()]);
        }
    }

    fn series(&self, tool: Option<&str>) -> Arc<ToolSeries> {
        let tools = self.tools.load();
        tool.and_then(|tool| tools.get(tool)).unwrap_or(&self.unknown).clone()
    }
}

impl MeasuredCall<'_> {
    /// Returns whether the call ended in an error before its tool ran.
    fn is_refused(&self) -> bool {
        let is_dropped = self.status == CallStatus::Interrupted;
        let answers_itself = self.source == AnswerSource::Call;
        answers_itself && self.attempts == 0 && self.code.is_some() && !is_dropped
    }

    fn has_run_its_tool(&self) -> bool {
        self.source == AnswerSource::Call && self.attempts > 0
    }
}

impl ToolSeries {
    fn new(name: &str, codes: &[FailureCode]) -> Self {
        let shared = ErrorCode::ALL.iter().map(|code| code.as_str());
        let is_own =
            |code: &&FailureCode| ErrorCode::ALL.iter().all(|it| it.as_str() != code.as_str());
        let own_codes = codes.iter().filter(is_own).map(FailureCode::as_str);
        let all_codes = [""].into_iter().chain(shared).chain(own_codes).chain([UNKNOWN]);
        Self {
            name: name.into(),
            by_code: all_codes.map(CodeSeries::new).collect(),
            active: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            cache_hits: AtomicU64::new(0),
            replays: AtomicU64::new(0),
            call_times: Distribution::new(&CALL_TIMES),
            tool_times: Distribution::new(&TOOL_TIMES),
        }
    }

    fn by_code(&self, code: Option<&str>) -> &CodeSeries {
        let Some(code) = code else { return &self.by_code[0] };
        let code_series = self.by_code[1..].iter().find(|series| *series.code == *code);
        code_series.unwrap_or(&self.by_code[self.by_code.len() - 1])
    }

    fn attribute(&self) -> AttributeValue {
        AttributeValue::shared(&self.name)
    }
}

impl CodeSeries {
    fn new(code: &str) -> Self {
        Self { code: code.into(), ended: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    fn attribute(&self) -> AttributeValue {
        match &*self.code {
            "" => AttributeValue::NONE,
            UNKNOWN => AttributeValue::text(OTHER),
            _ => AttributeValue::shared(&self.code),
        }
    }
}

impl CallInstruments {
    fn new(meter: &Meter) -> Self {
        Self {
            ended: meter.counter(&CALLS_ENDED),
            refused: meter.counter(&CALLS_REFUSED),
            call_times: meter.histogram(&CALL_TIMES),
            tool_times: meter.histogram(&TOOL_TIMES),
            active: meter.up_down_counter(&CALLS_ACTIVE),
            retries: meter.counter(&CALLS_RETRIED),
            cache_hits: meter.counter(&CALLS_CACHED),
            replays: meter.counter(&CALLS_REPLAYED),
        }
    }
}

impl Drop for ActiveCall<'_> {
    fn drop(&mut self) {
        self.series.active.fetch_sub(1, Ordering::Relaxed);
        if let Some(instrument) = self.instrument {
            instrument.add(-1, [self.series.attribute()]);
        }
    }
}

impl fmt::Debug for CallMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallMetrics")
            .field("tools", &self.tools.load().len())
            .field("agents", &self.agents)
            .field("meter", &self.meter)
            .finish_non_exhaustive()
    }
}

fn named_series((name, codes): (&str, &[FailureCode])) -> (Box<str>, Arc<ToolSeries>) {
    (name.into(), Arc::new(ToolSeries::new(name, codes)))
}

fn add(to: &AtomicU64, count: u64) {
    if count > 0 {
        to.fetch_add(count, Ordering::Relaxed);
    }
}
