/// Places an order.
#[ai_tool(
    effect = "write",
    preview = orders::show,
    reconcile = orders::find,
    forwards_key,
    retention = "2d"
)]
async fn place_order(
    orders: &Orders,
    idempotency: &Idempotency,
    /// What.
    item: &str,
) -> Result<Order, OrderError> {
    orders.place(idempotency, item).await
}
