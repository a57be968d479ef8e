//! Checks that dry runs have no effect, and that repeated calls have one effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use tool_contracts::{CallStatus, Effect, ToolContext};

use super::bench::Bench;
use super::inputs::{Inputs, Source};
use super::property::shrunk;
use super::report::{Check, TrialReport};
use crate::dispatch::Origin;

/// The number of inputs for each check.
const CASES: u64 = 24;

/// Counts the effects of a tool, on the world or on a fake.
///
/// A [`Recording`] is one; so is a closure that counts, such as `move || shop.orders().len()`.
/// Whatever has an effect has to change the count.
pub trait Effects: 'static {
    /// Returns how much has been done so far.
    fn count(&self) -> u64;
}

impl<F, N> Effects for F
where
    F: Fn() -> N + 'static,
    N: TryInto<u64>,
{
    fn count(&self) -> u64 {
        self().try_into().unwrap_or(u64::MAX)
    }
}

/// Counts effects. A handle: its clones share the count.
///
/// ```
/// use tool_runtime::testing::{Effects, Recording};
///
/// let sent = Recording::new();
/// let gateway = sent.clone(); // the fake that the tool writes to calls `note`
/// gateway.record();
/// assert_eq!(sent.count(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recording(Arc<AtomicU64>);

impl Recording {
    /// Starts with nothing done.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes one effect.
    pub fn note(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Effects for Recording {
    fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(super) async fn check(
    bench: &Bench,
    inputs: &Inputs,
    effects: Option<&dyn Effects>,
    report: &mut TrialReport,
) {
    if bench.spec.effect() == Effect::Read {
        return;
    }
    let repeating = Repeating { bench, inputs, effects };
    match effects {
        Some(effects) => repeating.dry_run(effects, report).await,
        None => report
            .note("dry run: not checked, as nothing counts the tool's effects; give `effects = …`"),
    }
    repeating.keyed(report).await;
    if bench.spec.annotations().idempotent() {
        match effects {
            Some(effects) => repeating.idempotent(effects, report).await,
            None => report.note(
                "idempotency: not checked without a key, as nothing counts the tool's effects; \
                 give `effects = …`",
            ),
        }
    }
}

struct Repeating<'b> {
    bench: &'b Bench,
    inputs: &'b Inputs,
    effects: Option<&'b dyn Effects>,
}

impl Repeating<'_> {
    fn each(&self) -> impl Iterator<Item = (Source, Value)> + '_ {
        self.inputs.iter(0, CASES)
    }

    async fn dry_run(&self, effects: &dyn Effects, report: &mut TrialReport) {
        let cx = &self.bench.cx.with_dry_run(true);
        let changes = |value: Value| async move {
            let before = effects.count();
            self.bench.call(&value.to_string(), cx).await;
            let after = effects.count();
            (before != after).then_some((before, after))
        };
        for (source, value) in self.each() {
            let Some(first) = changes(value.clone()).await else { continue };
            let (value, last) = shrunk(&self.inputs.instances, value, changes).await;
            let (before, after) = last.unwrap_or(first);
            let text = format!("a dry run has an effect: {before} before, {after} after");
            self.find(Check::DryRun, &text, &value, source, report);
            return;
        }
    }

    /// Makes the same call twice under one key.
    async fn keyed(&self, report: &mut TrialReport) {
        let mut answered = false;
        for (index, (source, value)) in self.each().enumerate() {
            let key = format!("trial-{index}");
            let Ok(cx) = self.bench.cx.with_idempotency_key(key) else { return };
            let Some(twice) = self.twice(&value, &cx).await else { continue };
            answered = true;
            if let Some(wrong) = twice.under_a_key() {
                self.find(Check::Idempotency, &wrong, &value, source, report);
                return;
            }
        }
        if !answered {
            report.note(
                "idempotency: not checked, as no call of the tool succeeded; give an `input = …` \
                 that it answers",
            );
        }
    }

    /// The same call twice without a key, where the tool says that it may be.
    async fn idempotent(&self, effects: &dyn Effects, report: &mut TrialReport) {
        let changes = |value: Value| async move {
            let twice = self.twice(&value, &self.bench.cx).await?;
            let (first, second) = (twice.after_first?, effects.count());
            (first != second).then_some((first, second))
        };
        for (source, value) in self.each() {
            let Some(found) = changes(value.clone()).await else { continue };
            let (value, last) = shrunk(&self.inputs.instances, value, changes).await;
            let (first, second) = last.unwrap_or(found);
            let text = format!(
                "the tool says that it is idempotent, and a second call has an effect: {first} \
                 after the first, {second} after the second"
            );
            self.find(Check::Idempotency, &text, &value, source, report);
            return;
        }
    }

    /// Makes a call twice; none unless the first one succeeds.
    async fn twice(&self, value: &Value, cx: &ToolContext) -> Option<Twice> {
        let text = value.to_string();
        let count = || self.effects.map(Effects::count);
        let first = self.bench.call(&text, cx).await;
        if first.heard.status != CallStatus::Executed {
            return None;
        }
        let after_first = count();
        let second = self.bench.call(&text, cx).await;
        Some(Twice {
            after_first,
            after_second: count(),
            replayed: second.heard.origin == Origin::Replay,
            same: first.output.data_json() == second.output.data_json(),
        })
    }

    fn find(
        &self,
        check: Check,
        text: &str,
        value: &Value,
        source: Source,
        report: &mut TrialReport,
    ) {
        let shown = self.bench.shown(&value.to_string());
        report.find(check, format!("{text}\ninput: {shown}\n{source}"));
    }
}

/// What two calls with the same arguments came to.
struct Twice {
    after_first: Option<u64>,
    after_second: Option<u64>,
    replayed: bool,
    same: bool,
}

impl Twice {
    /// What is wrong with that under one idempotency key.
    fn under_a_key(&self) -> Option<String> {
        if let (Some(first), Some(second)) = (self.after_first, self.after_second) {
            if first != second {
                return Some(format!(
                    "a repeat under the same idempotency key has an effect: {first} after the \
                     first call, {second} after the second"
                ));
            }
        }
        let wrong = "a repeat under the same idempotency key is not answered by the first answer";
        (!self.replayed || !self.same).then(|| wrong.to_owned())
    }
}
