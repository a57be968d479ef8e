//! The inputs of a trial: those that its author gave, and those made from the schema.

use std::fmt;

use serde_json::Value;

use super::report::{TrialCheck, TrialReport};
use super::runtime::TrialRuntime;
use crate::Instances;

/// The inputs of one tool.
pub(super) struct TrialInputs {
    pub(super) instances: Instances,
    given: Vec<Value>,
}

/// The source of an input, with which it can be reproduced.
#[derive(Debug, Clone, Copy)]
pub(super) enum TrialInputSource {
    Given(usize),
    Seed(u64),
}

impl TrialInputs {
    /// Compiles the schema; reports a finding if no instance can be made.
    pub(super) fn new(
        trial_runtime: &TrialRuntime,
        given: Vec<Value>,
        report: &mut TrialReport,
    ) -> Option<Self> {
        let made = Instances::for_schema(&trial_runtime.input);
        let instances =
            made.map_err(|error| report.find(TrialCheck::Inputs, error.to_string())).ok()?;
        let (given, refused) = given.into_iter().partition(|value| instances.admits(value));
        let refused: Vec<Value> = refused;
        for value in refused {
            let input_text = trial_runtime.shown(&value.to_string());
            report.find(
                TrialCheck::Inputs,
                format!("the schema rejects a given input\ninput: {input_text}"),
            );
        }
        Some(Self { instances, given })
    }

    /// Returns the given inputs, and then this many made ones.
    pub(super) fn iter(
        &self,
        seed: u64,
        cases: u64,
    ) -> impl Iterator<Item = (TrialInputSource, Value)> + '_ {
        let given = self.given.iter().enumerate();
        let given = given.map(|(index, value)| (TrialInputSource::Given(index), value.clone()));
        let made = (0..cases).map(move |case| {
            let seed = seed.wrapping_add(case);
            (TrialInputSource::Seed(seed), self.instances.valid(seed))
        });
        given.chain(made)
    }
}

impl fmt::Display for TrialInputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(index) => write!(f, "from: given input number {}", index + 1),
            Self::Seed(seed) => write!(f, "again: seed = {seed}, cases = 1"),
        }
    }
}
