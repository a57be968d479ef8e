//! What several modules need: a context, and tools whose arguments can be got wrong.

use serde_json::Value;
use tool_runtime::prelude::*;

/// A context of nobody in particular.
pub(crate) fn cx() -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build().unwrap()
}

/// The whole envelope as a value.
pub(crate) fn envelope(output: &ToolOutput) -> Value {
    serde_json::from_str(output.json()).unwrap()
}

/// Executes one call and gives the whole envelope.
pub(crate) async fn answer(runtime: &Runtime, name: &str, arguments: &str) -> Value {
    let mut call = runtime.call(name, arguments, &cx());
    envelope(call.execute().await)
}
