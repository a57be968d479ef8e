//! Numbers at and beside limits.

use serde_json::Value;

use super::super::shape::NumberConstraints;

/// Makes numbers that both sides may judge differently, those near the other side's limits first.
pub(super) fn numbers(own: &NumberConstraints, others: &[&NumberConstraints]) -> Vec<Value> {
    let mut values: Vec<_> = others.iter().flat_map(|other| other.edges()).collect();
    values.extend([1, 0, 2, 3, 5, 7, -1].map(Value::from));
    values.extend([0.5, 1.5].map(Value::from));
    values.extend(own.edges());
    values.extend(own.type_edges());
    values.extend(others.iter().flat_map(|other| other.type_edges()));
    values.retain(|value| value.as_number().is_some_and(|it| own.admits(it) != Some(false)));
    values
}
