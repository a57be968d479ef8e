//! The inputs of a trial: those that its author gave, and those made from the schema.

use std::fmt;

use serde_json::Value;

use super::bench::Bench;
use super::report::{Check, TrialReport};
use crate::testing::Instances;

/// The inputs of one tool.
pub(super) struct Inputs {
    pub(super) instances: Instances,
    given: Vec<Value>,
}

/// The source of an input, with which it can be reproduced.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Given(usize),
    Seed(u64),
}

impl Inputs {
    /// Reads the schema; says why, if nothing can be made from it.
    pub(super) fn new(bench: &Bench, given: Vec<Value>, report: &mut TrialReport) -> Option<Self> {
        let made = Instances::of(&bench.input);
        let instances = made.map_err(|error| report.find(Check::Inputs, error.to_string())).ok()?;
        let (given, refused) = given.into_iter().partition(|value| instances.admits(value));
        let refused: Vec<Value> = refused;
        for value in refused {
            let shown = bench.shown(&value.to_string());
            report.find(
                Check::Inputs,
                format!("the schema refuses an input that is given\ninput: {shown}"),
            );
        }
        Some(Self { instances, given })
    }

    /// The inputs that are given, and then so many that are made.
    pub(super) fn iter(&self, seed: u64, cases: u64) -> impl Iterator<Item = (Source, Value)> + '_ {
        let given = self.given.iter().enumerate();
        let given = given.map(|(index, value)| (Source::Given(index), value.clone()));
        let made = (0..cases).map(move |case| {
            let seed = seed.wrapping_add(case);
            (Source::Seed(seed), self.instances.valid(seed))
        });
        given.chain(made)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(index) => write!(f, "from: the input that is given, number {}", index + 1),
            Self::Seed(seed) => write!(f, "again: seed = {seed}, cases = 1"),
        }
    }
}
