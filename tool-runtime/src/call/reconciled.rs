//! What a tool found out about an outcome that nobody knew.

/// What became of an earlier run whose outcome is not known: a `reconcile` function answers it.
///
/// It is asked before anything runs again under the same idempotency key.
///
/// ```ignore
/// use tool_runtime::prelude::*;
/// use tool_runtime::Reconciled;
///
/// struct Ledger;
/// impl Ledger {
///     async fn order_of(&self, key: &str) -> Option<String> { Some(format!("order for {key}")) }
///     async fn order(&self, key: &str, item: &str) -> String { format!("{item} for {key}") }
/// }
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
///     if dry_run.is_active() {
///         return format!("would order {item}");
///     }
///     ledger.order(idempotency.key().unwrap_or_default(), item).await
/// }
///
/// async fn find_order(
///     ledger: &Ledger,
///     idempotency: &Idempotency,
///     _: &DryRun,
///     _: &str,
/// ) -> Reconciled<String> {
///     match ledger.order_of(idempotency.key().unwrap_or_default()).await {
///         Some(order) => Reconciled::Happened(order),
///         None => Reconciled::DidNotHappen,
///     }
/// }
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
