//! The key of a call, and the view of it that its tool reads.

use std::sync::Arc;

use serde_json::value::RawValue;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::policy::ToolPolicy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::keyed_runtime::{
    Bank, FIVE, KeyedRuntime, check_error, check_replay, context, cx, tools,
};

fn request(id: &str) -> ToolCallRequest {
    ToolCallRequest::new(id, "pay", RawValue::from_string(FIVE.to_owned()).unwrap())
}

async fn model_call(setup: &KeyedRuntime, id: &str, cx: &ToolContext) -> ToolOutput {
    let mut call = setup.runtime.call_request(&request(id), cx);
    call.execute().await.clone()
}

#[tokio::test]
async fn a_tool_reads_its_key_a_global_one_and_its_fence() {
    let setup = KeyedRuntime::new();
    setup.call("pay", "k").await;
    setup.call("pay_traced", "k").await;
    let joe = context().user_id("joe").idempotency_key("k").build().unwrap();
    setup.call_with("pay", FIVE, &joe).await;
    let runs = setup.bank.runs();
    assert!(runs.iter().all(|run| run.key.as_deref() == Some("k")), "{runs:?}");
    let mut global: Vec<_> = runs.iter().map(|run| run.global_key.clone().unwrap()).collect();
    assert!(
        global.iter().all(|key| key.len() == 64 && key.bytes().all(|it| it.is_ascii_hexdigit()))
    );
    global.sort_unstable();
    global.dedup();
    assert_eq!(global.len(), 3, "tools and callers are told apart");
    let fences: Vec<_> = runs.iter().map(|run| run.fence.unwrap()).collect();
    assert!(fences.is_sorted_by(|one, next| one < next), "{fences:?}");
}

#[tokio::test]
async fn a_call_without_a_key_shows_its_tool_none_and_runs_each_time() {
    let setup = KeyedRuntime::new();
    let anonymous = context().build().unwrap();
    for _ in 0..2 {
        assert!(setup.call_with("pay", FIVE, &anonymous).await.is_ok());
    }
    let runs = setup.bank.runs();
    assert!(runs.len() == 2 && runs[0].key.is_none() && runs[0].fence.is_none(), "{runs:?}");
    assert_eq!(setup.store.operations(), []);
}

#[tokio::test]
async fn the_same_call_of_a_model_runs_once_without_a_key() {
    let setup = KeyedRuntime::new();
    let cx = context().build().unwrap();
    let first = model_call(&setup, "call-1", &cx).await;
    check_replay(&first, &model_call(&setup, "call-1", &cx).await);
    assert_eq!(setup.bank.runs().len(), 1);
    let other_id = model_call(&setup, "call-2", &cx).await;
    let elsewhere = ToolContext::builder(Uuid::nil(), "trace-2").run_id("run-1").user_id("jane");
    let other_trace = model_call(&setup, "call-1", &elsewhere.build().unwrap()).await;
    assert!(other_id.is_ok() && other_trace.is_ok());
    assert_eq!(setup.bank.runs().len(), 3);
}

#[tokio::test]
async fn a_trace_does_not_run_into_a_models_id() {
    let setup = KeyedRuntime::new();
    let traced =
        |trace: &str| ToolContext::builder(Uuid::nil(), trace).run_id("r").build().unwrap();
    model_call(&setup, "b:c", &traced("a")).await;
    model_call(&setup, "c", &traced("a:b")).await;
    assert_eq!(setup.bank.runs().len(), 2);
}

#[tokio::test]
async fn a_callers_key_goes_before_a_models_id_and_is_never_taken_for_one() {
    let setup = KeyedRuntime::new();
    let first = model_call(&setup, "call-1", &cx("k")).await;
    check_replay(&first, &model_call(&setup, "call-2", &cx("k")).await);
    model_call(&setup, "call-1", &context().build().unwrap()).await;
    let derived = setup.bank.runs()[1].key.clone().unwrap();
    setup.call("pay", &derived).await;
    assert_eq!(setup.bank.runs().len(), 3);
}

#[tokio::test]
async fn a_host_may_require_keys() {
    let setup = KeyedRuntime::with(ToolPolicy::new().require_idempotency_key(true));
    let refused = model_call(&setup, "call-1", &context().build().unwrap()).await;
    check_error(&refused, "INVALID_ARGUMENT", Some("key_required"));
    assert_eq!(setup.bank.runs().len(), 0);
    assert!(setup.call("pay", "k").await.is_ok());
    let dry_run = context().dry_run(true).build().unwrap();
    assert!(setup.call_with("pay", FIVE, &dry_run).await.is_ok(), "a dry run needs none");
}

#[tokio::test]
async fn a_key_without_a_principal_is_refused() {
    let setup = KeyedRuntime::new();
    let anonymous =
        ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").idempotency_key("k");
    let refused = setup.call_with("pay", FIVE, &anonymous.build().unwrap()).await;
    check_error(&refused, "UNAUTHORIZED", Some("no_principal"));
    assert_eq!((setup.bank.runs().len(), setup.store.operations()), (0, vec![]));
}

#[tokio::test]
async fn a_key_stands_for_every_digit_of_a_number() {
    let setup = KeyedRuntime::new();
    let large = r#"{"cents":9007199254740993}"#;
    let paid = setup.call_with("pay", large, &cx("k")).await;
    assert!(paid.is_ok(), "{paid}");
    let again = setup.call_with("pay", r#"{"cents":9007199254740993.0}"#, &cx("k")).await;
    assert!(again.is_ok() && again.meta_json().contains("replayed"), "{again}");
    for other in ["9007199254740992", "9007199254740992e0", "9007199254740.994e3"] {
        let refused = setup.call_with("pay", &format!(r#"{{"cents":{other}}}"#), &cx("k")).await;
        check_error(&refused, "INVALID_ARGUMENT", Some("key_reused"));
        let message = refused.error().unwrap().message();
        assert!(!message.contains("90071"), "a rejected value is in no message: {message}");
    }
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test]
async fn a_runtime_with_no_policy_keeps_keys_in_memory() {
    let bank = Arc::<Bank>::default();
    let runtime = tools(Runtime::builder().shared_state(bank.clone()).store(MemoryStore::new()));
    for _ in 0..2 {
        let mut call = runtime.call("pay", FIVE, &cx("k"));
        assert!(call.execute().await.is_ok());
    }
    assert_eq!(bank.runs().len(), 1);
}
