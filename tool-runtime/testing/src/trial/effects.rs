//! Checks that dry runs have no effect, and that repeated calls have one effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use tool_contracts::{CallStatus, Effect, ToolContext};
use tool_runtime_core::dispatch::AnswerOrigin;

use super::inputs::{TrialInputSource, TrialInputs};
use super::property::shrunk;
use super::report::{TrialCheck, TrialReport};
use super::runtime::TrialRuntime;

/// The number of inputs for each check.
const CASES: u64 = 24;

/// Counts the effects of a tool, on the world or on a fake.
///
/// A [`RecordedEffects`] implements it; so does a counting closure, such as `move ||
/// shop.orders().len()`. Every effect must change the count.
pub trait EffectCounter: 'static {
    /// Returns the number of effects so far.
    fn count(&self) -> u64;
}

impl<F, N> EffectCounter for F
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
/// use tool_runtime::testing::{EffectCounter, RecordedEffects};
///
/// let sent = RecordedEffects::new();
/// let gateway = sent.clone(); // the tool's fake calls `record` for each effect
/// gateway.record();
/// assert_eq!(sent.count(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RecordedEffects(Arc<AtomicU64>);

impl RecordedEffects {
    /// Makes a recording without effects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records one effect.
    pub fn record(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl EffectCounter for RecordedEffects {
    fn count(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(super) async fn check(
    trial_runtime: &TrialRuntime,
    inputs: &TrialInputs,
    effects: Option<&dyn EffectCounter>,
    report: &mut TrialReport,
) {
    if trial_runtime.spec.effect() == Effect::Read {
        return;
    }
    let repeating = RepeatChecks { trial_runtime, inputs, effects };
    match effects {
        Some(effects) => repeating.dry_run(effects, report).await,
        None => report.note(
            "dry run: not checked, since the tool's effects are not counted; set `effects = …`",
        ),
    }
    repeating.keyed(report).await;
    if trial_runtime.spec.annotations().idempotent() {
        match effects {
            Some(effects) => repeating.idempotent(effects, report).await,
            None => report.note(
                "idempotency: not checked without a key, as nothing counts the tool's effects; \
                 give `effects = …`",
            ),
        }
    }
}

struct RepeatChecks<'b> {
    trial_runtime: &'b TrialRuntime,
    inputs: &'b TrialInputs,
    effects: Option<&'b dyn EffectCounter>,
}

impl RepeatChecks<'_> {
    fn each(&self) -> impl Iterator<Item = (TrialInputSource, Value)> + '_ {
        self.inputs.iter(0, CASES)
    }

    async fn dry_run(&self, effects: &dyn EffectCounter, report: &mut TrialReport) {
        let cx = &self.trial_runtime.cx.with_dry_run(true);
        let changes = |value: Value| async move {
            let before = effects.count();
            self.trial_runtime.call(&value.to_string(), cx).await;
            let after = effects.count();
            (before != after).then_some((before, after))
        };
        for (source, value) in self.each() {
            let Some(first) = changes(value.clone()).await else { continue };
            let (value, last) = shrunk(&self.inputs.instances, value, changes).await;
            let (before, after) = last.unwrap_or(first);
            let text = format!("a dry run has an effect: {before} before, {after} after");
            self.find(TrialCheck::DryRun, &text, &value, source, report);
            return;
        }
    }

    /// Makes the same call twice under one key.
    async fn keyed(&self, report: &mut TrialReport) {
        let mut answered = false;
        for (index, (source, value)) in self.each().enumerate() {
            let key = format!("trial-{index}");
            let Ok(cx) = self.trial_runtime.cx.with_idempotency_key(key) else { return };
            let Some(twice) = self.twice(&value, &cx).await else { continue };
            answered = true;
            if let Some(wrong) = twice.under_a_key() {
                self.find(TrialCheck::Idempotency, &wrong, &value, source, report);
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

    /// Makes the same call twice without a key, if the tool is marked `idempotent`.
    async fn idempotent(&self, effects: &dyn EffectCounter, report: &mut TrialReport) {
        let changes = |value: Value| async move {
            let twice = self.twice(&value, &self.trial_runtime.cx).await?;
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
            self.find(TrialCheck::Idempotency, &text, &value, source, report);
            return;
        }
    }

    /// Makes a call twice; none unless the first one succeeds.
    async fn twice(&self, value: &Value, cx: &ToolContext) -> Option<TrialRepeat> {
        let text = value.to_string();
        let count = || self.effects.map(EffectCounter::count);
        let first = self.trial_runtime.call(&text, cx).await;
        if first.call_end.status != CallStatus::Executed {
            return None;
        }
        let after_first = count();
        let second = self.trial_runtime.call(&text, cx).await;
        Some(TrialRepeat {
            after_first,
            after_second: count(),
            replayed: second.call_end.origin == AnswerOrigin::Replay,
            same: first.output.data_json() == second.output.data_json(),
        })
    }

    fn find(
        &self,
        check: TrialCheck,
        text: &str,
        value: &Value,
        source: TrialInputSource,
        report: &mut TrialReport,
    ) {
        let input_text = self.trial_runtime.shown(&value.to_string());
        report.find(check, format!("{text}\ninput: {input_text}\n{source}"));
    }
}

/// The result of two calls with the same arguments.
struct TrialRepeat {
    after_first: Option<u64>,
    after_second: Option<u64>,
    replayed: bool,
    same: bool,
}

impl TrialRepeat {
    /// Returns the finding if the calls had the same idempotency key.
    fn under_a_key(&self) -> Option<String> {
        if let (Some(first), Some(second)) = (self.after_first, self.after_second) {
            if first != second {
                return Some(format!(
                    "a repeat under the same idempotency key has an effect: {first} after the \
                     first call, {second} after the second"
                ));
            }
        }
        let wrong = "a repeat under the same idempotency key does not get the first answer";
        (!self.replayed || !self.same).then(|| wrong.to_owned())
    }
}
