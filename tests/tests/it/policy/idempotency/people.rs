//! Unknown outcomes that a person resolves.

use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::policy::{Resolution, ResolveError};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyRecord, StoreErrorKind};

use super::faulty_store::{Fault, StoreOperation};
use super::world::{Act, DAY, FIVE, LEASE, World, check_error, context, cx};

const RECEIPT: &str = r#"{"run":1,"cents":5,"currency":"EUR","rate":1.5}"#;

/// Loses sight of a payment.
async fn lose(world: &World, key: &str) {
    world.bank.next([Act::Lose]);
    check_error(&world.call("pay", key).await, "UPSTREAM_ERROR", None);
}

async fn unknown(world: &World) -> Vec<KeyRecord> {
    world.runtime.outcomes().unknown(Uuid::nil(), None, 10).await.unwrap()
}

fn happened(answer: &str) -> Resolution {
    Resolution::Happened { answer: answer.to_owned() }
}

async fn resolve(
    world: &World,
    record: &KeyRecord,
    resolution: Resolution,
) -> Result<(), ResolveError> {
    world.runtime.outcomes().resolve(record, resolution).await
}

#[tokio::test]
async fn unknown_outcomes_are_listed_by_tenant_and_page_by_page() {
    let world = World::new();
    for key in ["a", "b", "c"] {
        lose(&world, key).await;
    }
    world.call("pay", "known").await;
    world.bank.next([Act::Lose]);
    let elsewhere = ToolContext::builder(Uuid::max(), "trace-1").run_id("run-1").user_id("jane");
    world.call_with("pay", FIVE, &elsewhere.idempotency_key("d").build().unwrap()).await;

    let all = unknown(&world).await;
    let keys: Vec<_> = all.iter().map(|record| &*record.key.key).collect();
    assert_eq!(keys, ["key:a", "key:b", "key:c"]);
    let page = world.runtime.outcomes().unknown(Uuid::nil(), Some(&all[0].key), 1).await.unwrap();
    assert_eq!(page, [all[1].clone()]);
    assert_eq!(world.runtime.outcomes().unknown(Uuid::max(), None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_that_a_person_found_is_replayed_and_says_so() {
    let world = World::new();
    lose(&world, "k").await;
    let [record] = &unknown(&world).await[..] else { panic!("one outcome is unknown") };
    resolve(&world, record, happened(RECEIPT)).await.unwrap();
    let again = world.call("pay", "k").await;
    assert_eq!(again.data_json(), Some(RECEIPT));
    let meta: serde_json::Value = serde_json::from_str(again.meta_json()).unwrap();
    assert_eq!(meta["replayed"], true);
    assert_eq!(meta["warnings"][0], "a person found this answer out");
    assert_eq!((world.bank.runs().len(), unknown(&world).await), (1, vec![]));
    world.clock.advance(DAY);
    assert_eq!(world.runtime.sweep().await.unwrap(), 1, "it is kept as long as any answer");
}

#[tokio::test]
async fn a_refused_or_failed_resolution_changes_nothing() {
    let world = World::new();
    lose(&world, "k").await;
    let record = unknown(&world).await.remove(0);
    for wrong in ["{", r#"{"run":1}"#, r#"{"run":1,"run":1,"cents":5,"currency":"EUR","rate":1}"#] {
        let refused = resolve(&world, &record, happened(wrong)).await;
        assert!(matches!(refused, Err(ResolveError::InvalidAnswer { .. })), "{wrong}: {refused:?}");
    }
    let mut strange = record.clone();
    strange.key.tool = "nothing".into();
    let refused = resolve(&world, &strange, Resolution::DidNotHappen).await;
    assert!(matches!(refused, Err(ResolveError::UnknownTool(_))), "{refused:?}");
    let kind = StoreErrorKind::Unavailable;
    world.store.fail(Fault { operation: StoreOperation::Settle, kind, times: 1, done: false });
    let failed = resolve(&world, &record, Resolution::DidNotHappen).await;
    assert!(matches!(failed, Err(ResolveError::Store(_))), "{failed:?}");
    assert_eq!(unknown(&world).await, [record]);
    check_error(&world.call("pay", "k").await, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
}

#[tokio::test]
async fn an_outcome_that_changed_meanwhile_is_not_resolved_twice() {
    let world = World::new();
    lose(&world, "k").await;
    let record = unknown(&world).await.remove(0);
    resolve(&world, &record, happened(RECEIPT)).await.unwrap();
    let second = resolve(&world, &record, Resolution::DidNotHappen).await;
    assert!(matches!(second, Err(ResolveError::Changed)), "{second:?}");
    assert_eq!(world.call("pay", "k").await.data_json(), Some(RECEIPT));
}

#[tokio::test(start_paused = true)]
async fn a_person_does_not_settle_what_runs_again() {
    let world = World::new();
    world.bank.next([Act::Lose, Act::Wait]);
    world.call("pay_forwarded", "k").await;
    let stale = unknown(&world).await.remove(0);
    let mut call = world.runtime.call("pay_forwarded", FIVE, &cx("k"));
    let (output, resolved) = futures::join!(call.execute(), async {
        let resolved = resolve(&world, &stale, Resolution::DidNotHappen).await;
        world.bank.gate.add_permits(1);
        resolved
    });
    assert!(matches!(resolved, Err(ResolveError::Changed)), "{resolved:?}");
    assert!(output.is_ok(), "{output}");
}

#[tokio::test(start_paused = true)]
async fn a_person_does_not_release_what_still_runs() {
    let world = World::new();
    world.bank.next([Act::Wait]);
    let (first, resolved) = futures::join!(world.call("pay", "k"), async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let running = world.record("pay", "k").await.unwrap();
        let resolved = resolve(&world, &running, Resolution::DidNotHappen).await;
        world.bank.gate.add_permits(1);
        resolved
    });
    assert!(matches!(resolved, Err(ResolveError::Changed)), "{resolved:?}");
    assert!(first.is_ok(), "{first}");
    assert!(world.record("pay", "k").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dead_owners_call_is_listed_once_it_was_repeated() {
    let world = World::new();
    world.leave_behind("pay", "k").await;
    assert_eq!(unknown(&world).await, []);
    world.clock.advance(LEASE);
    world.call_with("pay", FIVE, &context().idempotency_key("k").build().unwrap()).await;
    assert_eq!(unknown(&world).await.len(), 1);
}
