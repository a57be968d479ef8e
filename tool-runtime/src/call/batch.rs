//! Runs what a model asked for in one turn: reads side by side, each write alone, in order.

use futures::StreamExt;
use futures::stream;
use tool_contracts::Effect;

use super::{ToolCall, ToolOutput};

/// Executes the calls; the outputs stand in the calls' own order.
pub(crate) async fn run(calls: &mut [ToolCall], most_at_once: usize) -> Vec<&ToolOutput> {
    for group in calls.chunk_by_mut(|one, next| !is_barrier(one) && !is_barrier(next)) {
        let executions = stream::iter(group).map(ToolCall::execute);
        executions.buffer_unordered(most_at_once).for_each(async |_| ()).await;
    }
    calls.iter().filter_map(ToolCall::output).collect()
}

/// A call with an effect waits for all before it, and all after it wait for it.
fn is_barrier(call: &ToolCall) -> bool {
    call.tool().is_some_and(|tool| tool.effect() != Effect::Read)
}
