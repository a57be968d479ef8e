//! Feeds a tool with what its schema admits, and with what it refuses.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};

use serde_json::Value;
use tool_contracts::CallStatus;

use super::bench::{Attempt, Bench};
use super::report::{Check, TrialReport};
use crate::testing::Instances;

/// How often a failing input is made simpler, at most.
const MOST_STEPS: u32 = 400;

/// What is tried, and for how long.
pub(super) struct Trying<'b> {
    pub(super) bench: &'b Bench,
    pub(super) instances: &'b Instances,
    pub(super) cases: u32,
    pub(super) budget: Duration,
    pub(super) seed: u64,
}

impl Trying<'_> {
    pub(super) async fn check(&self, report: &mut TrialReport) {
        let started = Instant::now();
        let mut found = BTreeSet::new();
        let mut refused = Vec::new();
        let mut done = 0;
        for case in 0..self.cases {
            if started.elapsed() >= self.budget {
                break;
            }
            let seed = self.seed.wrapping_add(case.into());
            self.valid(seed, &mut found, &mut refused, report).await;
            if !found.contains(&Check::Refusal) && self.broken(seed, report).await {
                found.insert(Check::Refusal);
            }
            done += 1;
        }
        report.count(done * 2);
        if done < self.cases {
            let (cases, budget) = (self.cases, self.budget);
            report.note(format!("{done} of {cases} cases were tried in the budget of {budget:?}"));
        }
        self.refused(done, &refused, report);
    }

    /// Tries one input that the schema admits.
    async fn valid(
        &self,
        seed: u64,
        found: &mut BTreeSet<Check>,
        refused: &mut Vec<(Value, Attempt)>,
        report: &mut TrialReport,
    ) {
        let value = self.instances.valid(seed);
        let attempt = self.bench.call(&value.to_string(), &self.bench.cx).await;
        if attempt.is_refused() {
            refused.push((value, attempt));
            return;
        }
        let Some(fault) = fault(self.bench, &attempt) else { return };
        if !found.insert(fault) {
            return;
        }
        let fails = |value: Value| async move {
            let attempt = self.bench.call(&value.to_string(), &self.bench.cx).await;
            (self::fault(self.bench, &attempt) == Some(fault)).then_some(attempt)
        };
        let (value, last) = shrunk(self.instances, value, fails).await;
        let last = last.unwrap_or(attempt);
        let shown = self.bench.shown(&value.to_string());
        let text = worded(self.bench, fault, &last);
        report.find(fault, format!("{text}\ninput: {shown}\n{}", again(seed)));
    }

    /// Tries one text that the schema refuses; tells whether it got through.
    async fn broken(&self, seed: u64, report: &mut TrialReport) -> bool {
        let broken = self.instances.broken(seed);
        let attempt = self.bench.call(broken.text(), &self.bench.cx).await;
        if attempt.is_refused() && attempt.heard.attempts == 0 {
            return false;
        }
        let (what, place) = (broken.breach(), broken.pointer());
        let shown = self.bench.shown(broken.text());
        let status = attempt.heard.status;
        report.find(
            Check::Refusal,
            format!(
                "a call with {what:?} at `{place}` is not refused, but {status:?}\ninput: {shown}\n{}",
                again(seed)
            ),
        );
        true
    }

    /// Says of which valid inputs the tool's own types want to know nothing.
    fn refused(&self, done: u32, refused: &[(Value, Attempt)], report: &mut TrialReport) {
        let Some((value, attempt)) = refused.first() else { return };
        let count = refused.len();
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
    let is_late = ran_out || (attempt.heard.status == CallStatus::Executed && late(attempt.took));
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

/// How to come back to an input.
pub(super) fn again(seed: u64) -> String {
    format!("again: seed = {seed}, cases = 1")
}

/// Makes a failing value simpler as long as it still fails; also returns the last failure.
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
