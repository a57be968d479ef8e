//! Runs what a model asked for in one turn: reads side by side, each write alone, in order.

use std::time::Instant;

use futures::StreamExt;
use futures::stream;
use tool_contracts::Effect;

use super::{ToolCall, ToolOutput};
use crate::timer::Timer;

/// Executes the calls; the outputs stand in the calls' own order.
///
/// A context's budget is for the whole batch: a call whose turn comes late has what is left.
pub(crate) async fn run<'c>(
    calls: &'c mut [ToolCall],
    most_at_once: usize,
    timer: &dyn Timer,
) -> Vec<&'c ToolOutput> {
    let started = timer.now();
    for group in calls.chunk_by_mut(|one, next| !is_barrier(one) && !is_barrier(next)) {
        let turns: Vec<_> = group.iter_mut().map(|call| turn(call, timer, started)).collect();
        stream::iter(turns).buffer_unordered(most_at_once).collect::<()>().await;
    }
    calls.iter().filter_map(ToolCall::output).collect()
}

/// Executes one call, when its turn comes.
async fn turn(call: &mut ToolCall, timer: &dyn Timer, started: Instant) {
    call.spend(timer.now().duration_since(started));
    call.execute().await;
}

/// A call with an effect waits for all before it, and all after it wait for it.
fn is_barrier(call: &ToolCall) -> bool {
    call.tool().is_some_and(|tool| tool.effect() != Effect::Read)
}
