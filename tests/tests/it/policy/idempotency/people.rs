//! Unknown outcomes that a person resolves.

use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::policy::{Resolution, ResolveError};
use tool_runtime::prelude::*;
use tool_runtime::store::{KeyRecord, StoreErrorKind};

use super::faulty_store::{Fault, StoreOperation};
use super::keyed_runtime::{Act, DAY, FIVE, KeyedRuntime, LEASE, check_error, context, cx};

const RECEIPT: &str = r#"{"run":1,"cents":5,"currency":"EUR","rate":1.5}"#;

/// Loses sight of a payment.
async fn lose(setup: &KeyedRuntime, key: &str) {
    setup.bank.next([Act::Lose]);
    check_error(&setup.call("pay", key).await, "UPSTREAM_ERROR", None);
}

async fn unknown(setup: &KeyedRuntime) -> Vec<KeyRecord> {
    setup.runtime.outcomes().unknown(Uuid::nil(), None, 10).await.unwrap()
}

fn happened(answer: &str) -> Resolution {
    Resolution::Happened { answer: answer.to_owned() }
}

async fn resolve(
    setup: &KeyedRuntime,
    record: &KeyRecord,
    resolution: Resolution,
) -> Result<(), ResolveError> {
    setup.runtime.outcomes().resolve(record, resolution).await
}

#[tokio::test]
async fn unknown_outcomes_are_listed_by_tenant_and_page_by_page() {
    let setup = KeyedRuntime::new();
    for key in ["a", "b", "c"] {
        lose(&setup, key).await;
    }
    setup.call("pay", "known").await;
    setup.bank.next([Act::Lose]);
    let elsewhere = ToolContext::builder(Uuid::max(), "trace-1").run_id("run-1").user_id("jane");
    setup.call_with("pay", FIVE, &elsewhere.idempotency_key("d").build().unwrap()).await;

    let all = unknown(&setup).await;
    let keys: Vec<_> = all.iter().map(|record| &*record.key.key).collect();
    assert_eq!(keys, ["key:a", "key:b", "key:c"]);
    let page = setup.runtime.outcomes().unknown(Uuid::nil(), Some(&all[0].key), 1).await.unwrap();
    assert_eq!(page, [all[1].clone()]);
    assert_eq!(setup.runtime.outcomes().unknown(Uuid::max(), None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_that_a_person_found_is_replayed_and_says_so() {
    let setup = KeyedRuntime::new();
    lose(&setup, "k").await;
    let [record] = &unknown(&setup).await[..] else { panic!("one outcome is unknown") };
    resolve(&setup, record, happened(RECEIPT)).await.unwrap();
    let again = setup.call("pay", "k").await;
    assert_eq!(again.data_json(), Some(RECEIPT));
    let meta: serde_json::Value = serde_json::from_str(again.meta_json()).unwrap();
    assert_eq!(meta["replayed"], true);
    assert_eq!(meta["warnings"][0], "a person found this answer out");
    assert_eq!((setup.bank.runs().len(), unknown(&setup).await), (1, vec![]));
    setup.clock.advance(DAY);
    assert_eq!(setup.runtime.sweep().await.unwrap(), 1, "it is kept as long as any answer");
}

#[tokio::test]
async fn a_refused_or_failed_resolution_changes_nothing() {
    let setup = KeyedRuntime::new();
    lose(&setup, "k").await;
    let record = unknown(&setup).await.remove(0);
    for wrong in ["{", r#"{"run":1}"#, r#"{"run":1,"run":1,"cents":5,"currency":"EUR","rate":1}"#] {
        let refused = resolve(&setup, &record, happened(wrong)).await;
        assert!(matches!(refused, Err(ResolveError::InvalidAnswer { .. })), "{wrong}: {refused:?}");
    }
    let mut strange = record.clone();
    strange.key.tool = "nothing".into();
    let refused = resolve(&setup, &strange, Resolution::DidNotHappen).await;
    assert!(matches!(refused, Err(ResolveError::UnknownTool(_))), "{refused:?}");
    let kind = StoreErrorKind::Unavailable;
    setup.store.fail(Fault { operation: StoreOperation::Settle, kind, times: 1, done: false });
    let failed = resolve(&setup, &record, Resolution::DidNotHappen).await;
    assert!(matches!(failed, Err(ResolveError::Store(_))), "{failed:?}");
    assert_eq!(unknown(&setup).await, [record]);
    check_error(&setup.call("pay", "k").await, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
}

#[tokio::test]
async fn an_outcome_that_changed_meanwhile_is_not_resolved_twice() {
    let setup = KeyedRuntime::new();
    lose(&setup, "k").await;
    let record = unknown(&setup).await.remove(0);
    resolve(&setup, &record, happened(RECEIPT)).await.unwrap();
    let second = resolve(&setup, &record, Resolution::DidNotHappen).await;
    assert!(matches!(second, Err(ResolveError::Changed)), "{second:?}");
    assert_eq!(setup.call("pay", "k").await.data_json(), Some(RECEIPT));
}

#[tokio::test(start_paused = true)]
async fn a_person_does_not_settle_what_runs_again() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Lose, Act::Wait]);
    setup.call("pay_forwarded", "k").await;
    let stale = unknown(&setup).await.remove(0);
    let mut call = setup.runtime.call("pay_forwarded", FIVE, &cx("k"));
    let (output, resolved) = futures::join!(call.execute(), async {
        let resolved = resolve(&setup, &stale, Resolution::DidNotHappen).await;
        setup.bank.gate.add_permits(1);
        resolved
    });
    assert!(matches!(resolved, Err(ResolveError::Changed)), "{resolved:?}");
    assert!(output.is_ok(), "{output}");
}

#[tokio::test(start_paused = true)]
async fn a_person_does_not_release_what_still_runs() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Wait]);
    let (first, resolved) = futures::join!(setup.call("pay", "k"), async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let running = setup.record("pay", "k").await.unwrap();
        let resolved = resolve(&setup, &running, Resolution::DidNotHappen).await;
        setup.bank.gate.add_permits(1);
        resolved
    });
    assert!(matches!(resolved, Err(ResolveError::Changed)), "{resolved:?}");
    assert!(first.is_ok(), "{first}");
    assert!(setup.record("pay", "k").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_dead_owners_call_is_listed_once_it_was_repeated() {
    let setup = KeyedRuntime::new();
    setup.leave_behind("pay", "k").await;
    assert_eq!(unknown(&setup).await, []);
    setup.clock.advance(LEASE);
    setup.call_with("pay", FIVE, &context().idempotency_key("k").build().unwrap()).await;
    assert_eq!(unknown(&setup).await.len(), 1);
}
