//! Counts units of work in unit tests, so that a test can hold how a cost grows without a clock.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts work on this thread: a node, a byte, a comparison. Costs nothing outside unit tests.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|all| all.set(all.get() + steps as u64));
    #[cfg(not(test))]
    let _ = steps;
}

/// Counts the values within values: the work of copying or reading all of them. The values are only
/// walked in unit tests.
#[cfg(feature = "adapters")]
#[inline]
pub(crate) fn count_values<'v>(values: impl IntoIterator<Item = &'v serde_json::Value>) {
    #[cfg(test)]
    count(values.into_iter().map(values_in).sum());
    #[cfg(not(test))]
    drop(values);
}

/// Returns the number of values within a value, including itself.
#[cfg(all(test, feature = "adapters"))]
fn values_in(value: &serde_json::Value) -> usize {
    use serde_json::Value;

    match value {
        Value::Object(members) => 1 + members.values().map(values_in).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(values_in).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// Returns how many steps the work takes on this thread.
#[cfg(test)]
pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(Cell::get);
    let done = work();
    (done, STEPS.with(Cell::get) - before)
}
