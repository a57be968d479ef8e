//! The measurement of agents: their requests, the steps of these, runs of loops, and calls of models.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::agent_series::AgentSeries;
use super::calls::UNKNOWN;
use super::distribution::Distribution;
use super::instruments::{AttributeValue, Counter, Histogram, Meter};
use super::names::OTHER;
use super::table::{
    AGENT_CONTEXT_TOKENS, AGENT_REQUESTS, AGENT_RUN_TIMES, AGENT_RUNS, AGENT_SAVED_TOKENS,
    AGENT_STEP_TIMES, AGENT_TIMES, AGENT_TURNS, MODEL_TIMES, MODEL_TOKENS,
};

/// The most models with series of their own; further ones count as unknown.
const MAX_MODELS: usize = 100;

/// The operation of all calls of models.
const CHAT: &str = "chat";

/// The metrics of the agents of a runtime. Requests wait for a model, so that the cost of one lock
/// for all values does not matter.
///
/// The values of labels are bounded: words of this crate, and configured models.
#[derive(Debug)]
pub struct AgentMetrics {
    series: Mutex<AgentSeries>,
    /// The models with series of their own.
    models: Mutex<BTreeSet<Arc<str>>>,
    instruments: Option<AgentInstruments>,
}

/// A request to an agent that ended.
#[derive(Debug)]
pub struct EndedRequest {
    pub outcome: &'static str,
    /// `None` without an error.
    pub code: Option<&'static str>,
    pub took: Duration,
}

/// A run of a loop that ended, or waits for a person.
#[derive(Debug)]
pub struct EndedRun {
    pub outcome: &'static str,
    /// `None` unless a limit stopped it.
    pub cause: Option<&'static str>,
    /// `None` without an error.
    pub code: Option<&'static str>,
    pub took: Duration,
    pub turns: u64,
    /// The tokens that its requests were shorter by.
    pub saved_tokens: u64,
}

/// A call of a model that ended.
#[derive(Debug)]
pub struct EndedModelCall<'m> {
    /// `None` for a model that is not configured.
    pub model: Option<&'m Arc<str>>,
    pub provider: &'static str,
    /// `None` without an error.
    pub code: Option<&'static str>,
    pub took: Duration,
    /// The tokens by their type, as the provider counts them; empty if it does not.
    pub tokens: Vec<(&'static str, u64)>,
}

#[derive(Debug)]
struct AgentInstruments {
    requests: Counter,
    request_times: Histogram,
    step_times: Histogram,
    context_tokens: Counter,
    runs: Counter,
    run_times: Histogram,
    turns: Counter,
    saved_tokens: Counter,
    model_times: Histogram,
    model_tokens: Histogram,
}

impl AgentMetrics {
    /// Creates the instruments of the meter, if the host has one.
    pub(super) fn new(meter: Option<&Meter>) -> Self {
        let instruments = meter.map(AgentInstruments::new);
        Self { series: Mutex::default(), models: Mutex::default(), instruments }
    }

    /// Returns the figures, which are locked meanwhile.
    pub fn series(&self) -> MutexGuard<'_, AgentSeries> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the end of a request.
    pub fn request_ended(&self, request: &EndedRequest) {
        let EndedRequest { outcome, code, took } = *request;
        let mut series = self.series();
        *series.requests.entry([outcome, code.unwrap_or_default()]).or_default() += 1;
        let times = series.request_times.entry(outcome);
        times.or_insert_with(|| Distribution::new(&AGENT_TIMES)).add_duration(took);
        drop(series);
        let Some(to) = &self.instruments else { return };
        to.requests.add(1, [AttributeValue::text(outcome), optional(code)]);
        to.request_times.record(took, [optional(code)]);
    }

    /// Records the end of a step of a request.
    pub fn step_ended(&self, step: &'static str, took: Duration) {
        let mut series = self.series();
        let times = series.step_times.entry(step);
        times.or_insert_with(|| Distribution::new(&AGENT_STEP_TIMES)).add_duration(took);
        drop(series);
        if let Some(to) = &self.instruments {
            to.step_times.record(took, [AttributeValue::text(step)]);
        }
    }

    /// Counts the tokens of a context by their stage.
    pub fn count_context<const N: usize>(&self, tokens: [(&'static str, u64); N]) {
        let mut series = self.series();
        for (stage, count) in tokens {
            *series.context_tokens.entry(stage).or_default() += count;
        }
        drop(series);
        let Some(to) = &self.instruments else { return };
        for (stage, count) in tokens {
            to.context_tokens.add(count, [AttributeValue::text(stage)]);
        }
    }

    /// Records the end of a run.
    pub fn run_ended(&self, run: &EndedRun) {
        let EndedRun { outcome, cause, code, took, turns, saved_tokens } = *run;
        let mut series = self.series();
        let key = [outcome, cause.unwrap_or_default(), code.unwrap_or_default()];
        *series.runs.entry(key).or_default() += 1;
        let times = series.run_times.entry(outcome);
        times.or_insert_with(|| Distribution::new(&AGENT_RUN_TIMES)).add_duration(took);
        series.turns += turns;
        series.saved_tokens += saved_tokens;
        drop(series);
        let Some(to) = &self.instruments else { return };
        to.runs.add(1, [AttributeValue::text(outcome), optional(cause), optional(code)]);
        to.run_times.record(took, [AttributeValue::text(outcome)]);
        to.turns.add(turns, []);
        to.saved_tokens.add(saved_tokens, []);
    }

    /// Records the end of a call of a model.
    pub fn model_call_ended(&self, call: &EndedModelCall<'_>) {
        let model = self.label_of(call.model);
        let label = model.clone().unwrap_or_else(|| UNKNOWN.into());
        let mut series = self.series();
        let key = (label.clone(), call.code.unwrap_or_default());
        let times = series.model_times.entry(key);
        times.or_insert_with(|| Distribution::new(&MODEL_TIMES)).add_duration(call.took);
        for (kind, count) in &call.tokens {
            let tokens = series.model_tokens.entry((label.clone(), *kind));
            tokens.or_insert_with(|| Distribution::new(&MODEL_TOKENS)).add_count(*count);
        }
        drop(series);
        let Some(to) = &self.instruments else { return };
        let chat = || AttributeValue::text(CHAT);
        let provider = || AttributeValue::text(call.provider);
        let model = || model.as_ref().map_or(AttributeValue::text(OTHER), AttributeValue::shared);
        to.model_times.record(call.took, [chat(), provider(), model(), optional(call.code)]);
        for (kind, count) in &call.tokens {
            let kind = AttributeValue::text(kind);
            to.model_tokens.record_count(*count, [chat(), provider(), kind, model()]);
        }
    }

    /// Returns the label of a model; none for one that counts as unknown.
    fn label_of(&self, model: Option<&Arc<str>>) -> Option<Arc<str>> {
        let model = model?;
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if models.len() < MAX_MODELS {
            models.insert(model.clone());
        }
        models.get(model).cloned()
    }
}

impl Distribution {
    /// Adds a value of a metric that counts something.
    #[expect(clippy::cast_precision_loss, reason = "a figure needs no more digits than it has")]
    fn add_count(&self, count: u64) {
        self.add(count as f64, count.saturating_mul(1_000_000));
    }
}

impl AgentInstruments {
    fn new(meter: &Meter) -> Self {
        Self {
            requests: meter.counter(&AGENT_REQUESTS),
            request_times: meter.histogram(&AGENT_TIMES),
            step_times: meter.histogram(&AGENT_STEP_TIMES),
            context_tokens: meter.counter(&AGENT_CONTEXT_TOKENS),
            runs: meter.counter(&AGENT_RUNS),
            run_times: meter.histogram(&AGENT_RUN_TIMES),
            turns: meter.counter(&AGENT_TURNS),
            saved_tokens: meter.counter(&AGENT_SAVED_TOKENS),
            model_times: meter.histogram(&MODEL_TIMES),
            model_tokens: meter.histogram(&MODEL_TOKENS),
        }
    }
}

fn optional(text: Option<&'static str>) -> AttributeValue {
    text.map_or(AttributeValue::NONE, AttributeValue::text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn models_beyond_the_bound_count_as_unknown() {
        let metrics = AgentMetrics::new(None);
        for number in 0..2 * MAX_MODELS {
            let model = Arc::from(number.to_string());
            for model in [Some(&model), None] {
                metrics.model_call_ended(&EndedModelCall {
                    model,
                    provider: OTHER,
                    code: None,
                    took: Duration::from_secs(1),
                    tokens: vec![("input", 7)],
                });
            }
        }
        let series = metrics.series();
        let count =
            |series: &BTreeMap<(Arc<str>, &'static str), Distribution>, label: &str, code| {
                let series = series.get(&(label.into(), code)).and_then(Distribution::read);
                series.map(|it| (it.count, it.sum))
            };
        assert_eq!((series.model_times.len(), series.model_tokens.len()), (101, 101));
        assert_eq!(count(&series.model_times, UNKNOWN, ""), Some((300, 300.0)));
        assert_eq!(count(&series.model_tokens, UNKNOWN, "input"), Some((300, 2_100.0)));
        assert_eq!(count(&series.model_tokens, "0", "input"), Some((1, 7.0)));
    }
}
