//! Executes the calls of one turn: first those that need no approval, then the approved ones.
//!
//! Reads run side by side, each write alone, in order. Approvals delay no other call: the approver
//! decides about one call after another while the free calls run, and the approved calls run in
//! order once the free ones have ended.

use std::time::{Duration, Instant};

use futures::channel::mpsc;
use futures::future::join;
use futures::{StreamExt, stream};
use tool_contracts::Effect;

use super::ToolCall;
use crate::dispatch::pipeline::{ApprovalProof, NeededApproval};
use crate::timer::Timer;
use crate::tool::ToolOutput;

/// A call of the batch that waits for its turn.
struct QueuedCall<'c> {
    index: usize,
    call: &'c mut ToolCall,
    /// The proof of its approval, if it needed one.
    allowed: Option<ApprovalProof>,
}

/// A call that needs approval, and its index in the batch.
struct CallToApprove<'c> {
    index: usize,
    call: &'c mut ToolCall,
    needed: NeededApproval,
}

/// Executes the calls; the outputs stand in the calls' own order.
///
/// A context's budget is for the whole batch, but for the time that people take: a call whose turn
/// comes late has what is left.
pub async fn run<'c>(
    calls: &'c mut [ToolCall],
    max_concurrent: usize,
    timer: &dyn Timer,
) -> Vec<&'c ToolOutput> {
    let mut runner = BatchRunner { max_concurrent, timer, spent: Duration::ZERO };
    let (free, asked) = split(calls).await;
    // Room for each call, so that a free call never waits for an approver.
    let (ask, later) = mpsc::channel(free.len());
    let ((), mut allowed) = join(runner.in_order(free, Some(ask)), ask_each(asked, later)).await;
    allowed.sort_by_key(|turn| turn.index);
    runner.in_order(allowed, None).await;
    calls.iter().filter_map(ToolCall::output).collect()
}

/// Splits off the calls that are known to need approval; the access policy may decide otherwise.
async fn split(calls: &mut [ToolCall]) -> (Vec<QueuedCall<'_>>, Vec<CallToApprove<'_>>) {
    let (mut free, mut asked) = (Vec::with_capacity(calls.len()), Vec::new());
    for (index, call) in calls.iter_mut().enumerate() {
        let needed = if call.needs_approval() { call.authorize_ahead().await } else { None };
        match needed {
            Some(needed) => asked.push(CallToApprove { index, call, needed }),
            None => free.push(QueuedCall { index, call, allowed: None }),
        }
    }
    (free, asked)
}

/// Asks about one call after another; returns those that may run.
async fn ask_each<'c>(
    asked: Vec<CallToApprove<'c>>,
    mut later: mpsc::Receiver<CallToApprove<'c>>,
) -> Vec<QueuedCall<'c>> {
    let mut allowed = Vec::with_capacity(asked.len());
    let mut initial_calls = asked.into_iter();
    loop {
        let next = initial_calls.next();
        let next = if next.is_none() { later.next().await } else { next };
        let Some(CallToApprove { index, call, needed }) = next else { return allowed };
        if let Some(proof) = call.request_approval(needed).await {
            allowed.push(QueuedCall { index, call, allowed: Some(proof) });
        }
    }
}

/// Executes calls in order and measures their time.
struct BatchRunner<'t> {
    max_concurrent: usize,
    timer: &'t dyn Timer,
    /// The time that executing has taken so far.
    spent: Duration,
}

impl BatchRunner<'_> {
    /// Executes the calls; passes on those that turn out to need approval.
    async fn in_order<'c>(
        &mut self,
        mut turns: Vec<QueuedCall<'c>>,
        ask: Option<mpsc::Sender<CallToApprove<'c>>>,
    ) {
        let started = self.timer.now();
        while !turns.is_empty() {
            let later = turns.split_off(group_length(&turns));
            let group: Vec<_> =
                turns.into_iter().map(|turn| self.execute(turn, started, ask.clone())).collect();
            stream::iter(group).buffer_unordered(self.max_concurrent).collect::<()>().await;
            turns = later;
        }
        self.spent += self.timer.now().duration_since(started);
    }

    /// Executes one call when its turn comes, or passes it on if it needs approval.
    async fn execute<'c>(
        &self,
        QueuedCall { index, call, allowed }: QueuedCall<'c>,
        started: Instant,
        ask: Option<mpsc::Sender<CallToApprove<'c>>>,
    ) {
        call.record_budget_use(self.spent + self.timer.now().duration_since(started));
        if let Some(proof) = allowed {
            return call.execute_allowed(proof).await;
        }
        let needed = call.execute_unless_approval_needed().await;
        if let (Some(needed), Some(mut ask)) = (needed, ask) {
            // The channel has room for each call, and stays open until the last call had its turn.
            drop(ask.try_send(CallToApprove { index, call, needed }));
        }
    }
}

/// Counts the calls from the first on that may run side by side: reads, or one call with an effect.
fn group_length(turns: &[QueuedCall<'_>]) -> usize {
    let reads = turns.iter().take_while(|turn| !is_barrier(turn.call)).count();
    reads.max(1)
}

/// A call with an effect waits for all before it, and all after it wait for it.
fn is_barrier(call: &ToolCall) -> bool {
    call.tool().is_some_and(|tool| tool.effect() != Effect::Read)
}
