//! Searches for values that one schema accepts and the other rejects, and makes them small.

use std::collections::BTreeMap;

use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::instances::{Instances, SeededRng, simpler_values};
use tool_runtime_schema::json::normalized;
use tool_runtime_schema::schema::{Coerce, Validator};

use super::edits::SchemaEdits;
use super::{Counterexample, Violation};

/// The rounds of a search that has found a counterexample, and of one that has not.
const ROUNDS: [u64; 2] = [8, 64];
/// The values of each round that violate a rule of the wide schema, and of other changed values.
const CHANGES: usize = 12;
/// The most listed values that are checked as they are.
const MAX_LISTED: usize = 100;
/// The most values that are checked by both schemas.
const MAX_CHECKED: usize = 20_000;
/// The most values that are checked to make one counterexample smaller.
const MAX_SIMPLER: usize = 1_000;
/// The most rejections for which a counterexample is searched.
const MAX_VIOLATIONS: usize = 256;
/// The longest text of a value.
const MAX_BYTES: usize = 8 * 1024;

/// Finds a small counterexample for each way in which `wide` rejects a value that `narrow` accepts.
pub(super) fn search(narrow: &Value, wide: &Value) -> Vec<Counterexample> {
    let (Ok(instances), Ok(wide_validator)) =
        (Instances::for_schema(narrow), Validator::compile(wide))
    else {
        return Vec::new();
    };
    let mut search =
        Search { narrow: instances, wide: wide_validator, checked: 0, smallest: BTreeMap::new() };
    search.collect(Instances::for_schema(wide).ok().as_ref(), &SchemaEdits::new([narrow, wide]));
    let smallest = std::mem::take(&mut search.smallest).into_iter().take(MAX_VIOLATIONS);
    let counterexamples = smallest.map(|(violation, (_, value))| {
        let value = search.shrink(value, &violation);
        Counterexample { violations: search.violations(&value), value }
    });
    counterexamples.collect()
}

struct Search {
    narrow: Instances,
    wide: Validator,
    checked: usize,
    /// The value with each rejection that has the fewest others, and is the shortest of these.
    smallest: BTreeMap<Violation, ((usize, usize), Value)>,
}

impl Search {
    fn collect(&mut self, wide: Option<&Instances>, edits: &SchemaEdits) {
        edits.values().iter().take(MAX_LISTED).for_each(|value| self.check(value.clone()));
        let mut rng = SeededRng::seeded(1);
        let mut round = 0;
        while round < ROUNDS[usize::from(self.smallest.is_empty())] && self.checked < MAX_CHECKED {
            let accepted = Some(self.narrow.valid(round));
            for value in [accepted, wide.map(|wide| wide.valid(round))].into_iter().flatten() {
                let value = normalized(value);
                // Values that barely violate a rule come first, since they show it best.
                let violating = wide.map(|wide| wide.violations(&value, CHANGES, &mut rng));
                violating.into_iter().flatten().for_each(|changed| self.check(changed));
                (0..CHANGES).for_each(|_| self.check(edits.apply(value.clone(), &mut rng)));
                self.check(value);
            }
            round += 1;
        }
    }

    fn check(&mut self, value: Value) {
        // The order of properties must not depend on the build.
        let value = normalized(value);
        let violations = self.violations(&value);
        let size = (violations.len(), value.to_string().len());
        for violation in violations {
            let smallest = self.smallest.get(&violation);
            if smallest.is_none_or(|(smallest, _)| size < *smallest) {
                self.smallest.insert(violation, (size, value.clone()));
            }
        }
    }

    /// The rejections of a value by the wide schema; none if the narrow one rejects it too.
    fn violations(&mut self, value: &Value) -> Vec<Violation> {
        self.checked += 1;
        let text = value.to_string();
        if text.len() > MAX_BYTES {
            return Vec::new();
        }
        let report = self.wide.check(&text, &Limits::new(), Coerce::Off);
        let is_counterexample = report.malformed.is_none()
            && !report.violations.is_empty()
            && self.narrow.admits(value)
            && self.narrow.has_known_formats(value);
        let violations = report.violations.iter().filter(|_| is_counterexample);
        violations.map(|it| (it.pointer().to_owned(), it.rule().to_owned())).collect()
    }

    /// Returns the simplest value that it finds with the same rejection.
    fn shrink(&mut self, mut value: Value, violation: &Violation) -> Value {
        let most = self.violations(&value).len();
        let end = self.checked.saturating_add(MAX_SIMPLER).min(MAX_CHECKED);
        while self.checked < end {
            let mut simpler = simpler_values(&value).take(end - self.checked);
            let next = simpler.find(|simpler| {
                let violations = self.violations(simpler);
                violations.len() <= most && violations.contains(violation)
            });
            let Some(next) = next else { break };
            drop(simpler);
            value = next;
        }
        value
    }
}
