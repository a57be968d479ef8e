//! Logs and measures the runs of a loop. No event has a text of a run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tool_runtime_core::log::log_event;
use tool_runtime_core::metrics::Recorder;
use tool_runtime_core::metrics::table::{
    AGENT_RUN_TIMES, AGENT_RUNS, AGENT_SAVED_TOKENS, AGENT_TURNS,
};
use tool_runtime_core::runtime::Runtime;

use super::report::LoopEnd;
use crate::error::AgentError;
use crate::measured_model::MeasuredModel;
use crate::model::{ChatModel, TokenUsage};
use crate::proxy::{AgentConfig, LogLevel};

/// The settings of the log and the metrics of runs.
#[derive(Debug, Clone)]
pub(super) struct LoopObserver {
    /// The least important events; none without a log.
    log_level: Option<LogLevel>,
    measures: bool,
    /// The models whose series have their names; all others share one.
    models: BTreeSet<String>,
}

/// The counts of a run: time, turns, calls and tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunFigures {
    pub(super) took: Duration,
    pub(super) turns: u32,
    pub(super) calls: u32,
    pub(super) usage: TokenUsage,
    pub(super) saved_tokens: u64,
}

/// The end of a run, by the words of its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RunEnd {
    outcome: &'static str,
    cause: Option<&'static str>,
    code: Option<&'static str>,
}

impl RunFigures {
    /// Returns what was done since the run was continued.
    pub(super) fn since(self, before: &Self) -> Self {
        let mut usage = self.usage;
        usage.input_tokens -= before.usage.input_tokens;
        usage.cached_input_tokens -= before.usage.cached_input_tokens;
        usage.output_tokens -= before.usage.output_tokens;
        Self {
            took: self.took,
            turns: self.turns - before.turns,
            calls: self.calls - before.calls,
            usage,
            saved_tokens: self.saved_tokens - before.saved_tokens,
        }
    }
}

impl LoopObserver {
    /// Measures runs, and logs them from the level `INFO` on.
    pub(super) fn new() -> Self {
        Self { log_level: Some(LogLevel::Info), measures: true, models: BTreeSet::new() }
    }

    /// Logs and measures what the configuration of an agent wants.
    pub(super) fn with_config(self, config: &AgentConfig) -> Self {
        let mut models = self.models;
        models.extend(config.model_names().map(str::to_owned));
        let log_level = config.enable_logging().then(|| config.log_level());
        Self { log_level, measures: config.enable_metrics(), models }
    }

    /// Measures a model under its name.
    pub(super) fn name_model(&mut self, name: &str) {
        self.models.insert(name.to_owned());
    }

    /// Measures a model, if runs are measured.
    pub(super) fn measured(
        &self,
        model: &Arc<dyn ChatModel>,
        runtime: &Runtime,
    ) -> Arc<dyn ChatModel> {
        if self.measures {
            let names = self.models.iter().map(String::as_str);
            Arc::new(MeasuredModel::new(model.clone(), runtime.clone(), names))
        } else {
            model.clone()
        }
    }

    /// Logs and counts a run that ended, or waits for a person.
    pub(super) fn run_ended(
        &self,
        runtime: &Runtime,
        end: Result<&LoopEnd, &AgentError>,
        figures: RunFigures,
    ) {
        let end_summary = run_end(end);
        if let Some(metrics) = runtime.services().dispatcher.metrics().filter(|_| self.measures) {
            end_summary.record(figures, metrics.recorder());
        }
        match end {
            Ok(LoopEnd::Answered(_) | LoopEnd::Suspended(_)) => self.log_run(end_summary, figures),
            Ok(LoopEnd::Stopped(_)) => self.log_stopped(end_summary, figures),
            Err(error) => self.log_failed(error, figures),
        }
    }

    fn log_run(&self, RunEnd { outcome, .. }: RunEnd, figures: RunFigures) {
        if self.logs(LogLevel::Info) {
            log_event!(
                info,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                outcome,
                turns = figures.turns,
                calls = figures.calls,
                input_tokens = figures.usage.input_tokens,
                output_tokens = figures.usage.output_tokens,
                saved_tokens = figures.saved_tokens,
                latency_ms = figures.took.as_secs_f64() * 1e3,
                "a run of the tool loop ended"
            );
        }
    }

    fn log_stopped(&self, RunEnd { cause, .. }: RunEnd, figures: RunFigures) {
        if self.logs(LogLevel::Warning) {
            log_event!(
                warn,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                cause,
                turns = figures.turns,
                calls = figures.calls,
                input_tokens = figures.usage.input_tokens,
                output_tokens = figures.usage.output_tokens,
                latency_ms = figures.took.as_secs_f64() * 1e3,
                "a limit stopped a run of the tool loop"
            );
        }
    }

    fn log_failed(&self, error: &AgentError, figures: RunFigures) {
        if self.logs(LogLevel::Error) {
            log_event!(
                error,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                error = %error,
                turns = figures.turns,
                calls = figures.calls,
                "a run of the tool loop failed"
            );
        }
    }

    fn logs(&self, level: LogLevel) -> bool {
        self.log_level.is_some_and(|least| level >= least)
    }
}

impl RunEnd {
    fn record(self, figures: RunFigures, to: &Recorder) {
        let Self { outcome, cause, code } = self;
        let labels = [outcome, cause.unwrap_or_default(), code.unwrap_or_default()];
        let runs = to.series(&AGENT_RUNS, labels);
        runs.add(1, &[outcome.into(), cause.into(), code.into()]);
        to.series(&AGENT_RUN_TIMES, [outcome]).record(figures.took, &[outcome.into()]);
        to.series(&AGENT_TURNS, []).add(figures.turns.into(), &[]);
        to.series(&AGENT_SAVED_TOKENS, []).add(figures.saved_tokens, &[]);
    }
}

fn run_end(end: Result<&LoopEnd, &AgentError>) -> RunEnd {
    let plain_end = |outcome| RunEnd { outcome, cause: None, code: None };
    match end {
        Ok(LoopEnd::Answered(_)) => plain_end("answered"),
        Ok(LoopEnd::Suspended(_)) => plain_end("suspended"),
        Ok(LoopEnd::Stopped(cause)) => {
            RunEnd { cause: Some(cause.as_str()), ..plain_end("stopped") }
        }
        Err(error) => RunEnd { code: Some(error.kind().as_str()), ..plain_end("failed") },
    }
}
