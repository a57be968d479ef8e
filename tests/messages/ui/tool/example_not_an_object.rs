use tool_runtime::prelude::*;

/// Finds pages.
#[ai_tool(effect = "read", example = "tea")]
fn search(
    /// Words to look for.
    query: String,
) {
    let _ = query;
}

/// Lists pages.
#[ai_tool(effect = "read", example = r#"{"limit":3}"#, example = r#"{"limit" 3}"#)]
fn list(
    /// Most pages.
    limit: u32,
) {
    let _ = limit;
}

/// Counts pages.
#[ai_tool(effect = "read", example = 3, examples = "{}")]
fn count() {}

fn main() {}
