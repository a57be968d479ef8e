//! Calls a tool with inputs that its schema admits, and with inputs that it rejects.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::CallStatus;
use tool_runtime_core::arguments::written_without_arguments;
use tool_runtime_schema::Limits;

use super::inputs::{TrialInputSource, TrialInputs};
use super::report::{TrialCheck, TrialReport};
use super::runtime::{TrialCall, TrialRuntime};
use crate::Instances;

/// The most steps of shrinking a failing input.
const MAX_STEPS: u32 = 400;

/// A busy machine may delay any tool by less than this.
const LEAST_HELD: Duration = Duration::from_secs(2);

/// The inputs to try, and the time limit.
pub(super) struct PropertyCheck<'b> {
    pub(super) trial_runtime: &'b TrialRuntime,
    pub(super) inputs: &'b TrialInputs,
    pub(super) cases: u32,
    pub(super) budget: Duration,
    pub(super) seed: u64,
}

/// The results so far.
#[derive(Default)]
struct PropertyResults {
    found: BTreeSet<TrialCheck>,
    /// Inputs that the schema admits but the tool's types reject.
    refused: Vec<(Value, TrialCall)>,
    done: u32,
}

impl PropertyCheck<'_> {
    pub(super) async fn check(&self, report: &mut TrialReport) {
        let started = Instant::now();
        let mut results = PropertyResults::default();
        for (source, value) in self.inputs.iter(self.seed, self.cases.into()) {
            if started.elapsed() >= self.budget {
                let (budget, done, cases) = (self.budget, results.done, self.cases);
                report.note(format!(
                    "{done} of {cases} cases were tried in the budget of {budget:?}"
                ));
                break;
            }
            results.done += 1;
            self.valid(source, value, &mut results, report).await;
            let TrialInputSource::Seed(seed) = source else { continue };
            if !results.found.contains(&TrialCheck::Refusal) && self.invalid(seed, report).await {
                results.found.insert(TrialCheck::Refusal);
            }
        }
        report.count(results.done);
        self.refused(&results, report);
    }

    /// Tries one input that the schema admits.
    async fn valid(
        &self,
        source: TrialInputSource,
        value: Value,
        results: &mut PropertyResults,
        report: &mut TrialReport,
    ) {
        let trial_call = self.trial_runtime.call(&value.to_string(), &self.trial_runtime.cx).await;
        if trial_call.is_refused() {
            results.refused.push((value, trial_call));
            return;
        }
        let Some(fault) = fault(self.trial_runtime, &trial_call) else { return };
        if !results.found.insert(fault) {
            return;
        }
        let fails = |value: Value| async move {
            let trial_call =
                self.trial_runtime.call(&value.to_string(), &self.trial_runtime.cx).await;
            (self::fault(self.trial_runtime, &trial_call) == Some(fault)).then_some(trial_call)
        };
        let (value, last) = shrunk(&self.inputs.instances, value, fails).await;
        let last = last.unwrap_or(trial_call);
        let input_text = self.trial_runtime.shown(&value.to_string());
        let text = worded(self.trial_runtime, fault, &last);
        report.find(fault, format!("{text}\ninput: {input_text}\n{source}"));
    }

    /// Tries one text that the schema rejects; returns whether it reached the tool.
    async fn invalid(&self, seed: u64, report: &mut TrialReport) -> bool {
        let invalid = self.inputs.instances.invalid(seed);
        // The schema rejects such a text, but a call reads it as `{}`, which other inputs try.
        if written_without_arguments(invalid.text(), &Limits::default()).is_some() {
            return false;
        }
        let trial_call = self.trial_runtime.call(invalid.text(), &self.trial_runtime.cx).await;
        if trial_call.is_refused() && trial_call.call_end.attempts == 0 {
            return false;
        }
        let (what, place) = (invalid.mutation(), invalid.pointer());
        let input_text = self.trial_runtime.shown(invalid.text());
        let status = trial_call.call_end.status;
        let text = format!("a call with {what:?} at `{place}` is not rejected, but {status:?}");
        report.find(
            TrialCheck::Refusal,
            format!("{text}\ninput: {input_text}\n{}", TrialInputSource::Seed(seed)),
        );
        true
    }

    /// Reports the valid inputs that the tool's types reject.
    fn refused(&self, results: &PropertyResults, report: &mut TrialReport) {
        let Some((value, trial_call)) = results.refused.first() else { return };
        let (count, done) = (results.refused.len(), results.done);
        let input_text = self.trial_runtime.shown(&value.to_string());
        let error = trial_call.output.error().map_or("", |error| error.message());
        let text = format!(
            "{count} of {done} inputs that the schema admits are refused before the tool runs: its \
             types are narrower than its schema\ninput: {input_text}\nanswer: {error}"
        );
        if u32::try_from(count).is_ok_and(|count| count >= done) {
            report.find(TrialCheck::Inputs, text);
        } else {
            report.note(text);
        }
    }
}

/// Returns the check that a call fails, if any.
pub(super) fn fault(trial_runtime: &TrialRuntime, trial_call: &TrialCall) -> Option<TrialCheck> {
    let timeout = trial_runtime.timeout();
    let late = |took: Duration| took >= timeout;
    if trial_call.call_end.log.starts_with("panicked: ") {
        return Some(TrialCheck::Panics);
    }
    if trial_call.has_code("INVALID_OUTPUT") {
        return Some(TrialCheck::Output);
    }
    let ran_out = trial_call.has_code("TIMEOUT") && trial_call.call_end.took.is_some_and(late);
    // On paused time, a tool that blocks its thread exceeds its deadline unnoticed.
    let has_overrun = trial_call.took >= timeout.max(LEAST_HELD);
    let is_late = ran_out || (trial_call.call_end.status == CallStatus::Executed && has_overrun);
    is_late.then_some(TrialCheck::Deadline)
}

fn worded(trial_runtime: &TrialRuntime, fault: TrialCheck, trial_call: &TrialCall) -> String {
    let log = &trial_call.call_end.log;
    match fault {
        TrialCheck::Panics => {
            let place = trial_call.panicked_at.as_ref();
            let place = place.map_or_else(String::new, |place| format!(" at {place}"));
            format!("the tool panics{place}\nlog: {log}")
        }
        TrialCheck::Output => {
            let details = trial_call.output.error().and_then(|error| {
                serde_json::to_value(error).ok()?.get("details").map(Value::to_string)
            });
            let details = details.unwrap_or_default();
            format!("an answer violates the output schema; {log}\ndetails: {details}")
        }
        TrialCheck::Deadline
        | TrialCheck::Registration
        | TrialCheck::Snapshot
        | TrialCheck::Metaschema
        | TrialCheck::Inputs
        | TrialCheck::Refusal
        | TrialCheck::DryRun
        | TrialCheck::Idempotency
        | TrialCheck::Secrets => {
            format!("the tool does not end within {:?}", trial_runtime.timeout())
        }
    }
}

/// Shrinks a failing value as long as it still fails; also returns the last failure.
pub(super) async fn shrunk<T, F, Fut>(
    instances: &Instances,
    mut value: Value,
    fails: F,
) -> (Value, Option<T>)
where
    F: Fn(Value) -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let mut last = None;
    let mut left = MAX_STEPS;
    loop {
        let mut simpler = None;
        for candidate in instances.simpler(&value) {
            if left == 0 {
                break;
            }
            left -= 1;
            if let Some(failure) = fails(candidate.clone()).await {
                simpler = Some((candidate, failure));
                break;
            }
        }
        let Some((candidate, failure)) = simpler else { return (value, last) };
        (value, last) = (candidate, Some(failure));
    }
}
