//! Times, logs and measures a request: its steps, and how it ended. No event has a text of it.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::ContractError;
use tool_contracts::act::ActResult;
use tool_contracts::articulate::SerializedOutput;
use tool_contracts::assess::OptimizedContext;
use tool_contracts::proxy::LatencyBreakdown;
use tool_runtime_core::log::log_event;
use tool_runtime_core::metrics::table::{
    AGENT_CONTEXT_TOKENS, AGENT_REQUESTS, AGENT_STEP_TIMES, AGENT_TIMES,
};
use tool_runtime_core::metrics::{CallMetrics, Recorder};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::store::StoreError;

use super::config::{AgentConfig, LogLevel};
use super::turn::{CompletedRequest, ModelResponse};
use crate::error::AgentError;
use crate::model::FinishReason;

/// Logs and measures a request, as far as its agent's configuration wants it.
pub(super) struct Observer<'t> {
    config: &'t AgentConfig,
    recorder: Option<&'t Recorder>,
    model: &'t str,
}

/// A step of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestStep {
    /// The required tools run.
    Tools,
    /// The context is compressed.
    Context,
    /// The model is asked, or the cache.
    Model,
    /// The answer is written.
    Output,
}

/// The durations of the steps so far.
#[derive(Debug)]
pub(super) struct Steps<'t> {
    observer: &'t Observer<'t>,
    took: [Duration; 4],
}

impl<'t> Observer<'t> {
    pub(super) fn new(config: &'t AgentConfig, runtime: &'t Runtime, model: &'t str) -> Self {
        let metrics = runtime.services().dispatcher.metrics();
        let metrics = metrics.filter(|_| config.enable_metrics());
        Self { config, recorder: metrics.map(CallMetrics::recorder), model }
    }

    /// Measures a step that ended, well or not.
    fn step_ended(&self, step: RequestStep, took: Duration) {
        if let Some(to) = self.recorder {
            let step = step.as_str();
            to.series(&AGENT_STEP_TIMES, [step]).record(took, &[step.into()]);
        }
    }

    /// Logs the required tools.
    pub(super) fn tools_ran(&self, results: &[ActResult], took: Duration) {
        if self.logs(LogLevel::Debug) {
            log_event!(
                debug,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                tools = results.len(),
                failed_tools = failed(results),
                latency_ms = milliseconds(took),
                "the agent ran the required tools"
            );
        }
    }

    /// Logs and counts the tokens of a context.
    pub(super) fn context_optimized(&self, context: &OptimizedContext, took: Duration) {
        let (raw, optimized) = (context.original_tokens(), context.optimized_tokens());
        if let Some(to) = self.recorder {
            for (stage, count) in [("raw", raw), ("optimized", optimized)] {
                to.series(&AGENT_CONTEXT_TOKENS, [stage]).add(count, &[stage.into()]);
            }
        }
        if self.logs(LogLevel::Debug) {
            log_event!(
                debug,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                method = context.method_used().as_str(),
                raw_input_tokens = raw,
                input_tokens = optimized,
                latency_ms = milliseconds(took),
                "the agent made the context"
            );
        }
    }

    /// Logs the answer of the model, or of the cache.
    pub(super) fn model_answered(
        &self,
        answer: &ModelResponse,
        tokens: (u64, u64),
        took: Duration,
    ) {
        let (input, output) = tokens;
        if self.logs(LogLevel::Debug) {
            log_event!(
                debug,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                model = %self.model,
                input_tokens = input,
                output_tokens = output,
                finish_reason = finish_reason(answer.reply.finish_reason()),
                cached = answer.is_cached,
                latency_ms = milliseconds(took),
                "the agent has the model's answer"
            );
        }
    }

    /// Logs the format of the answer.
    pub(super) fn output_written(&self, output: &SerializedOutput, took: Duration) {
        if self.logs(LogLevel::Debug) {
            log_event!(
                debug,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                format = output.format_used().as_str(),
                latency_ms = milliseconds(took),
                "the agent wrote the answer"
            );
        }
    }

    /// Logs the error of the store of sessions, which no caller reads.
    pub(super) fn sessions_failed(&self, error: &StoreError) {
        if self.logs(LogLevel::Error) {
            log_event!(error, target: tool_runtime_core::trace::conventions::AGENT_TARGET, %error, "the store of sessions failed");
        }
    }

    /// Logs and counts the end of a request.
    pub(super) fn ended(&self, ended: Result<&CompletedRequest, &AgentError>, took: Duration) {
        if let Some(to) = self.recorder {
            let (outcome, code) = match ended {
                Ok(CompletedRequest { answer: ModelResponse { is_cached: true, .. }, .. }) => {
                    ("cached", None)
                }
                Ok(CompletedRequest { answer: ModelResponse { is_cached: false, .. }, .. }) => {
                    ("answered", None)
                }
                Err(error) => ("failed", Some(error.kind().as_str())),
            };
            let requests = to.series(&AGENT_REQUESTS, [outcome, code.unwrap_or_default()]);
            requests.add(1, &[outcome.into(), code.into()]);
            to.series(&AGENT_TIMES, [outcome]).record(took, &[code.into()]);
        }
        match ended {
            Ok(answered) => self.log_answered(answered),
            Err(error) => self.log_failed(error),
        }
    }

    fn log_answered(&self, answered: &CompletedRequest) {
        if self.logs(LogLevel::Warning) {
            for failure in tolerated_failures(answered) {
                self.log_tolerated(failure);
            }
        }
        if self.logs(LogLevel::Info) {
            let cost = answered.response.cost_analysis();
            log_event!(
                info,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                model = %self.model,
                input_tokens = cost.optimized_input_tokens(),
                raw_input_tokens = cost.raw_input_tokens(),
                output_tokens = cost.output_tokens(),
                latency_ms = answered.response.total_latency_ms(),
                "the agent answered a request"
            );
        }
    }

    fn log_tolerated(&self, failure: ToleratedFailure<'_>) {
        let ToleratedFailure { failure, failed_tools, reason } = failure;
        log_event!(
            warn,
            target: tool_runtime_core::trace::conventions::AGENT_TARGET,
            model = %self.model,
            failure,
            failed_tools,
            reason,
            "the agent answered a request in spite of a failure"
        );
    }

    fn log_failed(&self, error: &AgentError) {
        if self.logs(LogLevel::Error) {
            log_event!(
                error,
                target: tool_runtime_core::trace::conventions::AGENT_TARGET,
                model = %self.model,
                error = %error,
                "the agent could not answer a request"
            );
        }
    }

    fn logs(&self, level: LogLevel) -> bool {
        self.config.enable_logging() && level >= self.config.log_level()
    }
}

impl RequestStep {
    /// Returns the step's name in metrics.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Context => "context",
            Self::Model => "model",
            Self::Output => "output",
        }
    }
}

impl<'t> Steps<'t> {
    pub(super) fn new(observer: &'t Observer<'t>) -> Self {
        Self { observer, took: [Duration::ZERO; 4] }
    }

    /// Measures a step.
    pub(super) async fn timed<T>(&mut self, step: RequestStep, work: impl Future<Output = T>) -> T {
        let started = Instant::now();
        let output = work.await;
        let took = started.elapsed();
        self.took[step as usize] = took;
        self.observer.step_ended(step, took);
        output
    }

    /// Returns how long a step took.
    pub(super) const fn took(&self, step: RequestStep) -> Duration {
        self.took[step as usize]
    }

    /// Divides the total; what no step took is the overhead.
    pub(super) fn breakdown(&self, total: Duration) -> Result<LatencyBreakdown, ContractError> {
        let overhead = total.saturating_sub(self.took.iter().sum());
        let [tools, context, model, output] = self.took;
        LatencyBreakdown::new(
            milliseconds(tools),
            milliseconds(context),
            milliseconds(model),
            milliseconds(output),
            milliseconds(overhead),
        )
    }
}

/// A failure in spite of which a request was answered.
#[derive(Clone, Copy, Default)]
struct ToleratedFailure<'a> {
    failure: &'static str,
    failed_tools: Option<usize>,
    /// The text of a [`CompressionError`](crate::assess::CompressionError), which quotes nothing.
    reason: Option<&'a str>,
}

fn tolerated_failures(answered: &CompletedRequest) -> Vec<ToleratedFailure<'_>> {
    let CompletedRequest { response, answer } = answered;
    let plain_failure = |failure| ToleratedFailure { failure, ..ToleratedFailure::default() };
    let failed_tools = Some(failed(response.tool_results())).filter(|failed| *failed > 0);
    let metadata = response.context_optimization().metadata();
    let reason = |name: &str| metadata.get(name).and_then(Value::as_str);
    let with =
        |failure, reason| ToleratedFailure { reason: Some(reason), ..plain_failure(failure) };
    let failure = reason("reason").filter(|_| metadata.get("failed") == Some(&Value::Bool(true)));
    let fell_back = answer.reply.is_fallback() && !answer.is_cached;
    let cut_off = match answer.reply.finish_reason() {
        FinishReason::Length => Some("answer_cut_off"),
        FinishReason::ContentFilter => Some("answer_filtered"),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_) => None,
    };
    [
        failed_tools.map(|_| ToleratedFailure { failed_tools, ..plain_failure("tools_failed") }),
        failure.map(|reason| with("compression_failed", reason)),
        reason("fallback").map(|reason| with("compression_fell_back", reason)),
        reason("similarity_error").map(|reason| with("similarity_failed", reason)),
        fell_back.then(|| plain_failure("fallback_model_answered")),
        cut_off.map(plain_failure),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn failed(results: &[ActResult]) -> usize {
    results.iter().filter(|result| !result.success()).count()
}

/// Returns the reason's name; that of another provider's word is not repeated.
fn finish_reason(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Other(_) => "other",
        FinishReason::Stop
        | FinishReason::ToolCalls
        | FinishReason::Length
        | FinishReason::ContentFilter => reason.as_str(),
    }
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

impl fmt::Debug for Observer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("model", &self.model).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tool_contracts::articulate::{OutputSerializer, SerializationRequest};
    use tool_contracts::assess::CompressionMethod;
    use tool_contracts::proxy::{CostReport, LatencyBreakdown, LlmResponse, ProxyResponse};
    use tool_runtime_core::articulate::Articulator;

    use super::*;
    use crate::model::ChatReply;

    fn answered(reply: ChatReply, is_cached: bool, fallback: Option<&str>) -> CompletedRequest {
        let text = Value::from(reply.text());
        let context = OptimizedContext::builder("text", CompressionMethod::SemanticPruning);
        let context = match fallback {
            Some(reason) => context.metadata("fallback", reason),
            None => context,
        };
        let result = Articulator::new().serialize(&SerializationRequest::new(&text));
        let model = LlmResponse::builder(reply.model(), text.clone()).build();
        let response = ProxyResponse::builder(
            result.expect("JSON"),
            context.build().expect("a context"),
            model.expect("a response"),
        );
        let took = LatencyBreakdown::new(0.0, 0.0, 0.0, 0.0, 0.0).expect("durations");
        let cost = CostReport::builder().build().expect("a report");
        let response = response.breakdown(took).cost_analysis(cost).build().expect("a response");
        CompletedRequest { response, answer: ModelResponse { reply, content: text, is_cached } }
    }

    #[track_caller]
    fn check(answered: &CompletedRequest, expected: &[&str]) {
        let failures: Vec<_> =
            tolerated_failures(answered).into_iter().map(|it| it.failure).collect();
        assert_eq!(failures, expected);
    }

    #[test]
    fn each_failure_that_was_tolerated_is_named() {
        let reply = || ChatReply::new("m", "text");
        check(&answered(reply(), false, None), &[]);
        let fell_back = answered(reply(), false, Some("distillation: there is no summarizer"));
        check(&fell_back, &["compression_fell_back"]);
        let reason = tolerated_failures(&fell_back)[0].reason;
        assert_eq!(reason, Some("distillation: there is no summarizer"));
        check(&answered(reply().with_fallback(true), false, None), &["fallback_model_answered"]);
        check(&answered(reply().with_fallback(true), true, None), &[]);
        for (reason, expected) in [
            (FinishReason::Length, &["answer_cut_off"][..]),
            (FinishReason::ContentFilter, &["answer_filtered"]),
            (FinishReason::Other("odd".to_owned()), &[]),
        ] {
            check(&answered(reply().with_finish_reason(reason), false, None), expected);
        }
    }
}
