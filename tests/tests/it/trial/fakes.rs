//! The fakes require the same treatment as the originals.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use tool_runtime::contracts::ToolErrorType;
use tool_runtime::policy::{Decision, Policy};
use tool_runtime::prelude::*;
use tool_runtime::testing::{
    FaultyStore, ModelTurn, RecordedEffects, ScriptedApprover, ScriptedModel, StoreFault,
    StoreOperation, context, expect_output, expect_status, ids,
};

/// A list of things.
#[ai_type]
struct List {
    /// Their names.
    names: Vec<String>,
    /// How many there are in all.
    total: u32,
}

/// Lists things.
#[ai_tool(effect = "read")]
fn list_things(
    /// Most to list.
    #[arg(range(1..=3))]
    most: u32,
) -> List {
    let names = (0..most).map(|index| format!("thing {index}")).collect();
    List { names, total: 3 }
}

/// Orders a thing.
#[ai_tool(effect = "write")]
fn order_thing(shop: &RecordedEffects, dry_run: &DryRun) -> bool {
    if !dry_run.is_active() {
        shop.record();
    }
    true
}

async fn listed(arguments: &str) -> ToolOutput {
    let runtime = Runtime::builder().tool::<ListThingsTool>().build().unwrap();
    let mut call = runtime.call("list_things", arguments, &context().build().unwrap());
    call.execute().await.clone()
}

/// Returns the message of an expectation, which must fail.
#[track_caller]
fn failure<T>(expectation: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(expectation)).err().expect("it is not as expected");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

#[tokio::test]
async fn a_difference_is_shown_line_by_line() {
    let output = listed(r#"{"most":2}"#).await;
    let whole = json!({"names": ["thing 0", "thing 1"], "total": 3});
    expect_output(&output).ok().data(&whole).data_has(json!({"total": 3})).data_has(json!({}));
    expect_output(&output).ok().data_has(json!({"names": ["thing 0", "thing 1"]}));
    let text = failure(|| expect_output(&output).ok().data(json!({"names": [], "total": 3})));
    has(&text, &["the data differs", "-  \"names\": [],", "+    \"thing 0\",", "   \"total\": 3"]);
    let text = failure(|| expect_output(&output).ok().data_has(json!({"total": 4})));
    has(&text, &["-  \"total\": 4", "+  \"total\": 3"]);
    assert!(!text.contains("thing"), "{text}");
    let text = failure(|| expect_output(&output).ok().data_has(json!({"names": ["thing 0"]})));
    has(&text, &["+    \"thing 1\""]);
    has(&failure(|| expect_output(&output).failed()), &["the call did not fail", "thing 1"]);
}

#[tokio::test]
async fn a_failed_expectation_of_an_error_shows_the_error() {
    let output = listed(r#"{"most":9}"#).await;
    let error = || expect_output(&output).failed();
    error()
        .code("INVALID_ARGUMENT")
        .error_type(ToolErrorType::Validation)
        .violation("/most", "maximum");
    has(&failure(|| expect_output(&output).ok()), &["the call failed", "INVALID_ARGUMENT"]);
    has(&failure(|| error().code("TIMEOUT")), &["INVALID_ARGUMENT, not TIMEOUT", "/most"]);
    has(&failure(|| error().error_type(ToolErrorType::Fatal)), &["Validation, not Fatal"]);
    has(&failure(|| error().message_has("tea")), &["the message does not contain `tea`"]);
    let text = failure(|| error().violation("/most", "minimum"));
    has(&text, &["no violation of `minimum` at `/most`"]);
}

#[tokio::test]
async fn a_call_that_is_elsewhere_shows_why() {
    let runtime = Runtime::builder().tool::<ListThingsTool>().build().unwrap();
    let call = runtime.call("list_things", r#"{"most":9}"#, &context().build().unwrap());
    expect_status(&call, CallStatus::Rejected);
    let text = failure(|| expect_status(&call, CallStatus::Pending));
    has(&text, &["`list_things` is Rejected, not Pending", "`/most`: at most 3 (maximum)"]);
}

#[tokio::test]
async fn a_model_goes_on_only_when_every_call_is_answered_once() {
    let output = listed(r#"{"most":1}"#).await;
    let call = || ModelTurn::call("list_things", json!({"most": 1}));
    let mut model =
        ScriptedModel::new([call().and("list_things", json!({})), ModelTurn::text("done")]);
    let turn = model.next_turn().unwrap();
    let ids: Vec<_> = turn.calls().iter().map(|call| call.call_id().to_owned()).collect();
    assert_eq!(ids, ["call_1", "call_2"]);
    model.answer("call_2", &output);
    let text = failure(|| model.next_turn());
    has(&text, &["unanswered calls (1): call_1 (list_things)"]);
    has(&failure(|| model.answer("call_2", &output)), &["`call_2`: it has an answer already"]);
    has(&failure(|| model.answer("call_7", &output)), &["`call_7`: there is no such call"]);
    model.answer("call_1", &output);
    assert_eq!(model.next_turn().unwrap().text(), Some("done"));
    assert_eq!(model.next_turn(), None);
}

#[tokio::test]
async fn a_script_that_is_done_approves_nothing() {
    let shop = RecordedEffects::new();
    let person = ScriptedApprover::new([Decision::approve("ada")]);
    let runtime = Runtime::builder()
        .tool::<OrderThingTool>()
        .state(shop.clone())
        .policy(Policy::new().approver(person.clone()))
        .build()
        .unwrap();
    let cx = context().build().unwrap();
    assert!(!person.is_done());
    let mut call = runtime.call("order_thing", "{}", &cx);
    expect_output(call.execute().await).ok().data(true);
    assert!(person.is_done());
    let mut call = runtime.call("order_thing", "{}", &cx);
    expect_output(call.execute().await).failed().code("NEEDS_USER_CONFIRMATION");
    assert_eq!(person.requests(), ["order_thing {}", "order_thing {}"]);
}

#[tokio::test]
async fn an_answer_that_a_store_loses_leaves_a_key_that_is_held() {
    let store = FaultyStore::new();
    let shop = RecordedEffects::new();
    let runtime = Runtime::builder()
        .tool::<OrderThingTool>()
        .permission("order_thing", tool_runtime::contracts::Permission::Allow)
        .state(shop.clone())
        .store(store.clone())
        .build()
        .unwrap();
    let cx = context().build().unwrap().with_idempotency_key("k").unwrap();
    let run = async || runtime.call("order_thing", "{}", &cx).execute().await.clone();
    store.fail_always(StoreOperation::Claim, StoreFault::Fails);
    for _ in 0..2 {
        expect_output(&run().await).failed().code("UNAVAILABLE");
    }
    store.clear_faults();
    store.fail_next(StoreOperation::Claim, StoreFault::ResponseLost);
    expect_output(&run().await).failed().code("UNAVAILABLE");
    expect_output(&run().await).failed().code("CONFLICT");
    assert_eq!(tool_runtime::testing::EffectCounter::count(&shop), 0);
}

#[test]
fn ids_are_the_same_for_the_same_seed_alone() {
    let some = |seed| ids(seed).take(5).collect::<Vec<_>>();
    assert_eq!(some(1), some(1));
    assert_ne!(some(1), some(2));
    assert!(some(1).iter().all(|id| id.get_version_num() == 4));
}
