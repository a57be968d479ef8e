//! A model must never choose its own context.

use tool_runtime::prelude::*;

/// Names the tenant.
#[ai_tool(effect = "read")]
fn tenant(
    /// The context.
    cx: ToolContext,
) -> String {
    cx.tenant_id().to_string()
}

fn main() {}
