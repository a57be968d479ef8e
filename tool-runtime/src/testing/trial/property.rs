//! Calls a tool with inputs that its schema admits, and with inputs that it rejects.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::CallStatus;

use super::bench::{Attempt, Bench};
use super::inputs::{Inputs, Source};
use super::report::{Check, TrialReport};
use crate::testing::Instances;

/// The most steps of shrinking a failing input.
const MOST_STEPS: u32 = 400;

/// A busy machine may delay any tool by less than this.
const LEAST_HELD: Duration = Duration::from_secs(2);

/// What is tried, and for how long.
pub(super) struct Trying<'b> {
    pub(super) bench: &'b Bench,
    pub(super) inputs: &'b Inputs,
    pub(super) cases: u32,
    pub(super) budget: Duration,
    pub(super) seed: u64,
}

/// The results so far.
#[derive(Default)]
struct Tally {
    found: BTreeSet<Check>,
    /// What the schema admits and the tool's types do not.
    refused: Vec<(Value, Attempt)>,
    done: u32,
}

impl Trying<'_> {
    pub(super) async fn check(&self, report: &mut TrialReport) {
        let started = Instant::now();
        let mut tally = Tally::default();
        for (source, value) in self.inputs.iter(self.seed, self.cases.into()) {
            if started.elapsed() >= self.budget {
                let (budget, done, cases) = (self.budget, tally.done, self.cases);
                report.note(format!(
                    "{done} of {cases} cases were tried in the budget of {budget:?}"
                ));
                break;
            }
            tally.done += 1;
            self.valid(source, value, &mut tally, report).await;
            let Source::Seed(seed) = source else { continue };
            if !tally.found.contains(&Check::Refusal) && self.broken(seed, report).await {
                tally.found.insert(Check::Refusal);
            }
        }
        report.count(tally.done);
        self.refused(&tally, report);
    }

    /// Tries one input that the schema admits.
    async fn valid(
        &self,
        source: Source,
        value: Value,
        tally: &mut Tally,
        report: &mut TrialReport,
    ) {
        let attempt = self.bench.call(&value.to_string(), &self.bench.cx).await;
        if attempt.is_refused() {
            tally.refused.push((value, attempt));
            return;
        }
        let Some(fault) = fault(self.bench, &attempt) else { return };
        if !tally.found.insert(fault) {
            return;
        }
        let fails = |value: Value| async move {
            let attempt = self.bench.call(&value.to_string(), &self.bench.cx).await;
            (self::fault(self.bench, &attempt) == Some(fault)).then_some(attempt)
        };
        let (value, last) = shrunk(&self.inputs.instances, value, fails).await;
        let last = last.unwrap_or(attempt);
        let shown = self.bench.shown(&value.to_string());
        let text = worded(self.bench, fault, &last);
        report.find(fault, format!("{text}\ninput: {shown}\n{source}"));
    }

    /// Tries one text that the schema refuses; tells whether it got through.
    async fn broken(&self, seed: u64, report: &mut TrialReport) -> bool {
        let broken = self.inputs.instances.broken(seed);
        let attempt = self.bench.call(broken.text(), &self.bench.cx).await;
        if attempt.is_refused() && attempt.heard.attempts == 0 {
            return false;
        }
        let (what, place) = (broken.breach(), broken.pointer());
        let shown = self.bench.shown(broken.text());
        let status = attempt.heard.status;
        let text = format!("a call with {what:?} at `{place}` is not refused, but {status:?}");
        report.find(Check::Refusal, format!("{text}\ninput: {shown}\n{}", Source::Seed(seed)));
        true
    }

    /// Says of which valid inputs the tool's own types want to know nothing.
    fn refused(&self, tally: &Tally, report: &mut TrialReport) {
        let Some((value, attempt)) = tally.refused.first() else { return };
        let (count, done) = (tally.refused.len(), tally.done);
        let shown = self.bench.shown(&value.to_string());
        let error = attempt.output.error().map_or("", |error| error.message());
        let text = format!(
            "{count} of {done} inputs that the schema admits are refused before the tool runs: its \
             types are narrower than its schema\ninput: {shown}\nanswer: {error}"
        );
        if u32::try_from(count).is_ok_and(|count| count >= done) {
            report.find(Check::Inputs, text);
        } else {
            report.note(text);
        }
    }
}

/// What a call shows to be wrong with its tool.
pub(super) fn fault(bench: &Bench, attempt: &Attempt) -> Option<Check> {
    let timeout = bench.timeout();
    let late = |took: Duration| took >= timeout;
    if attempt.heard.log.starts_with("panicked: ") {
        return Some(Check::Panics);
    }
    if attempt.has_code("INVALID_OUTPUT") {
        return Some(Check::Output);
    }
    let ran_out = attempt.has_code("TIMEOUT") && attempt.heard.took.is_some_and(late);
    // A tool that does not let go of its thread outlives a deadline on paused time unseen.
    let held = attempt.took >= timeout.max(LEAST_HELD);
    let is_late = ran_out || (attempt.heard.status == CallStatus::Executed && held);
    is_late.then_some(Check::Deadline)
}

fn worded(bench: &Bench, fault: Check, attempt: &Attempt) -> String {
    let log = &attempt.heard.log;
    match fault {
        Check::Panics => format!("the tool panics\nlog: {log}"),
        Check::Output => {
            let details = attempt.output.error().and_then(|error| {
                serde_json::to_value(error).ok()?.get("details").map(Value::to_string)
            });
            let details = details.unwrap_or_default();
            format!("an answer breaks the output schema; {log}\ndetails: {details}")
        }
        _ => format!("the tool does not end within {:?}", bench.timeout()),
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
    let mut left = MOST_STEPS;
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
