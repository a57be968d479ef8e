//! Searches for an instance that shows that a change is breaking.
//!
//! The search ([`search`]) makes instances of both schemas, and changes them near the limits of
//! both ([`edits`]). It asks this crate's validator for both schemas: only a value that the one
//! accepts and the other rejects is a counterexample. Its time is bounded by the number of values.
//! Values are made from the schemas alone, so that they contain nothing secret.

mod edits;
mod location;
mod search;

use serde_json::Value;

use self::location::InstanceLocation;
use self::search::search;
use super::{Compatibility, SchemaChange, SchemaReader};

/// The most pairs of a counterexample and a change whose distance is measured.
const MAX_DISTANCES: usize = 100_000;

/// The location and the rule of a rejection.
type Violation = (String, String);

/// A value that the new schema accepts and the old one rejects, or the reverse.
struct Counterexample {
    value: Value,
    violations: Vec<Violation>,
}

/// Gives each breaking change the smallest counterexample that the search finds for it.
///
/// A counterexample belongs to the change that is closest to the location of its rejection. If no
/// counterexample is close to any change, the first breaking change has the smallest one.
pub(super) fn add_counterexamples(
    before: &Value,
    after: &Value,
    reader: SchemaReader,
    changes: &mut [SchemaChange],
) {
    let mut breaking: Vec<_> = changes.iter_mut().filter(|change| is_breaking(change)).collect();
    if breaking.is_empty() {
        return;
    }
    let mut counterexamples = match reader {
        SchemaReader::Callee => search(before, after),
        SchemaReader::Caller => search(after, before),
    };
    counterexamples.sort_by_cached_key(|counterexample| counterexample.value.to_string().len());
    counterexamples.truncate((MAX_DISTANCES / breaking.len()).max(1));
    let locations: Vec<_> =
        breaking.iter().map(|change| InstanceLocation::from_pointer(change.pointer())).collect();
    for counterexample in &counterexamples {
        if let Some(at) = closest(&breaking, &locations, counterexample) {
            breaking[at].counterexample.get_or_insert_with(|| counterexample.value.clone());
        }
    }
    let is_shown = breaking.iter().any(|change| change.counterexample.is_some());
    if let (false, Some(first), Some(counterexample)) =
        (is_shown, breaking.first_mut(), counterexamples.first())
    {
        first.counterexample = Some(counterexample.value.clone());
    }
}

fn is_breaking(change: &SchemaChange) -> bool {
    change.compatibility() == Compatibility::Breaking
}

/// The index of the change that is closest to all violations; of equally close ones, one without a
/// counterexample.
fn closest(
    changes: &[&mut SchemaChange],
    locations: &[InstanceLocation],
    counterexample: &Counterexample,
) -> Option<usize> {
    let distance = |change: &SchemaChange, location: &InstanceLocation| {
        tool_runtime_schema::test_cost::count(1);
        let each = counterexample.violations.iter();
        let each = each.map(|(pointer, rule)| location.distance(pointer, rule, change.rule()));
        let farthest = each.collect::<Option<Vec<_>>>()?.into_iter().max()?;
        Some((farthest, change.counterexample.is_some()))
    };
    let near = changes.iter().zip(locations).enumerate();
    let near = near.filter_map(|(at, (change, location))| Some((distance(change, location)?, at)));
    near.min().map(|(_, at)| at)
}
