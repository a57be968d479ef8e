//! Counts units of work in tests, so that a test can hold how a cost grows without a clock.

#[cfg(any(test, feature = "test-cost"))]
use std::cell::Cell;

#[cfg(any(test, feature = "test-cost"))]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts work on this thread: a node, a byte, a comparison. Costs nothing outside tests.
#[inline]
pub fn count(steps: usize) {
    #[cfg(any(test, feature = "test-cost"))]
    STEPS.with(|all| all.set(all.get() + steps as u64));
    #[cfg(not(any(test, feature = "test-cost")))]
    let _ = steps;
}

/// Counts the values within values: the work of copying or reading all of them. The values are only
/// walked in tests.
#[inline]
pub fn count_values<'v>(values: impl IntoIterator<Item = &'v serde_json::Value>) {
    #[cfg(any(test, feature = "test-cost"))]
    count(values.into_iter().map(values_in).sum());
    #[cfg(not(any(test, feature = "test-cost")))]
    drop(values);
}

/// Returns the number of values within a value, including itself.
#[cfg(any(test, feature = "test-cost"))]
fn values_in(value: &serde_json::Value) -> usize {
    use serde_json::Value;

    match value {
        Value::Object(members) => 1 + members.values().map(values_in).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(values_in).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// Returns how many steps the work takes on this thread.
#[cfg(any(test, feature = "test-cost"))]
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(Cell::get);
    let done = work();
    (done, STEPS.with(Cell::get) - before)
}
