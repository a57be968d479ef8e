//! A ticket whose run crashed between the ticket's use and the call's end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, UnixMillis};
use tool_runtime::testing::ManualClock;
use tool_runtime::{Reconciled, RuntimeBuilder};

/// The effects of the tools.
#[derive(Default)]
struct ToolEffects {
    orders: AtomicU32,
    stands_still: tokio::sync::Notify,
}

/// Places an order, and stands still the first time.
#[ai_tool(effect = "write", reconcile = look)]
async fn place(effects: &ToolEffects, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() {
        return 0;
    }
    let order = effects.orders.fetch_add(1, Ordering::SeqCst) + 1;
    effects.stands_still.notified().await;
    order
}

async fn look(effects: &ToolEffects, _: &DryRun) -> Reconciled<u32> {
    match effects.orders.load(Ordering::SeqCst) {
        0 => Reconciled::DidNotHappen,
        order => Reconciled::Happened(order),
    }
}

fn cx() -> ToolContext {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
    cx.build().unwrap()
}

fn process(effects: &Arc<ToolEffects>, store: &MemoryStore, clock: &ManualClock) -> Runtime {
    let keys = KeyRing::new("keys", &[7; 32]).unwrap();
    let policy = Policy::new().store(store.clone()).ticket_keys(keys).clock(clock.clone());
    let builder: RuntimeBuilder = Runtime::builder().tool::<PlaceTool>().policy(policy);
    builder.shared_state(effects.clone()).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_ticket_whose_run_crashed_leads_to_what_became_of_it() {
    let (effects, store) = (Arc::<ToolEffects>::default(), MemoryStore::new());
    let clock = ManualClock::at(UnixMillis::new(1_000_000));
    let first = process(&effects, &store, &clock);
    let ticket = first.call("place", "{}", &cx()).ticket().await.unwrap().to_json();
    let mut call = first.tickets().resume(&ticket, &cx()).await;
    call.approve("jill").unwrap();
    let mut run = Box::pin(async move { call.execute().await.clone() });
    assert!((&mut run).now_or_never().is_none(), "it stands still after its effect");
    std::mem::forget(run);

    let second = process(&effects, &store, &clock);
    let mut early = second.tickets().resume(&ticket, &cx()).await;
    early.approve("jill").unwrap();
    let early = early.execute().await.clone();
    assert_eq!(early.error().and_then(|error| error.code()), Some("CONFLICT"), "{early}");

    clock.advance(Duration::from_secs(60));
    let mut later = second.tickets().resume(&ticket, &cx()).await;
    later.approve("jill").unwrap();
    let later = later.execute().await.clone();
    assert_eq!(later.data_json(), Some("1"), "{later}");
    assert_eq!(effects.orders.load(Ordering::SeqCst), 1);

    let used = second.tickets().resume(&ticket, &cx()).await;
    let details = used.output().and_then(ToolOutput::error).and_then(|error| error.details());
    assert_eq!(details.unwrap()["reason"], "ticket_used");
}
