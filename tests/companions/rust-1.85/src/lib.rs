//! One of each macro, so that what they write is compiled too.

use tool_runtime::ToolFailure;
use tool_runtime::prelude::*;

/// A tea of the shop.
#[ai_type]
pub struct Tea {
    /// Its name.
    pub name: String,
    /// A price that a model should not repeat.
    #[arg(secret)]
    pub price: u32,
}

/// The causes of an order's failure.
#[derive(Debug, ToolFailure)]
pub enum OrderError {
    /// No tea has this name.
    #[failure(NOT_FOUND, message = "no tea has this name")]
    Unknown,
}

/// Finds a tea.
///
/// # Errors
/// Returns an error if no tea has this name.
#[ai_tool(effect = "read", version = "1.0.0")]
pub async fn find_tea(
    /// The name of the tea.
    #[arg(length(1..=20))]
    name: String,
) -> Result<Tea, OrderError> {
    if name == "green" { Ok(Tea { name, price: 3 }) } else { Err(OrderError::Unknown) }
}

/// The shop's orders.
pub struct Orders;

/// Orders of teas.
#[ai_toolkit]
impl Orders {
    /// Orders a tea.
    #[ai_tool(effect = "write", version = "1.0.0", idempotent)]
    pub async fn order(
        &self,
        dry_run: &DryRun,
        /// The name of the tea.
        name: String,
    ) -> bool {
        !dry_run.is_active() && !name.is_empty()
    }
}
