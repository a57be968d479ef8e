//! Numbers at and beside limits.

use serde_json::Value;

use super::super::shape::NumberConstraints;

/// Makes numbers that both sides may judge differently, those near the other side's limits first.
pub(super) fn numbers(own: &NumberConstraints, others: &[&NumberConstraints]) -> Vec<Value> {
    let mut found: Vec<_> = others.iter().flat_map(|other| other.edges()).collect();
    found.extend([1, 0, 2, 3, 5, 7, -1].map(Value::from));
    found.extend([0.5, 1.5].map(Value::from));
    found.extend(own.edges());
    found.extend(own.type_edges());
    found.extend(others.iter().flat_map(|other| other.type_edges()));
    found.retain(|value| value.as_number().is_some_and(|it| own.admits(it) != Some(false)));
    found
}
