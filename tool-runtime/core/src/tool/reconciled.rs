//! The answer of a `reconcile` function about an unknown outcome.

/// The outcome of an earlier run that was unknown, as a `reconcile` function reports it.
///
/// It is asked before anything runs again under the same idempotency key.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Mutex, PoisonError};
///
/// use tool_runtime::Reconciled;
/// use tool_runtime::prelude::*;
///
/// /// Orders by the key that each was placed under.
/// #[derive(Default)]
/// struct Ledger(Mutex<BTreeMap<String, String>>);
///
/// /// Orders an item.
/// #[ai_tool(effect = "write", reconcile = find_order)]
/// async fn order(
///     ledger: &Ledger,
///     idempotency: &Idempotency,
///     dry_run: &DryRun,
///     /// What to order.
///     item: &str,
/// ) -> String {
///     let order = format!("an order of {item}");
///     if let (Some(key), false) = (idempotency.key(), dry_run.is_active()) {
///         let mut orders = ledger.0.lock().unwrap_or_else(PoisonError::into_inner);
///         orders.insert(key.to_owned(), order.clone());
///     }
///     order
/// }
///
/// /// Looks for the order instead of placing it: the tool's parameters, and its answer in what
/// /// became of it.
/// async fn find_order(
///     ledger: &Ledger,
///     idempotency: &Idempotency,
///     _: &DryRun,
///     _: &str,
/// ) -> Reconciled<String> {
///     let Some(key) = idempotency.key() else { return Reconciled::Unknown };
///     let orders = ledger.0.lock().unwrap_or_else(PoisonError::into_inner);
///     match orders.get(key) {
///         Some(order) => Reconciled::Happened(order.clone()),
///         None => Reconciled::DidNotHappen,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (ledger, real) = (Ledger::default(), DryRun::new(false));
/// let key = Idempotency::new("key-1", 1);
/// assert_eq!(find_order(&ledger, &key, &real, "tea").await, Reconciled::DidNotHappen);
///
/// let placed = order(&ledger, &key, &real, "tea").await;
/// let again = Idempotency::new("key-1", 2);
/// assert_eq!(find_order(&ledger, &again, &real, "tea").await, Reconciled::Happened(placed));
///
/// let runtime = Runtime::builder().tool::<OrderTool>().state(ledger).build()?;
/// assert!(runtime.spec("order").is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reconciled<T> {
    /// The effect happened, and this is the answer it had.
    Happened(T),
    /// The effect did not happen and cannot happen any more: the tool may run again.
    DidNotHappen,
    /// It cannot be found out now.
    Unknown,
}
