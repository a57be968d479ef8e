//! The scope of a key, and the comparison of arguments.

use tool_runtime::contracts::{Actor, ActorType};
use tool_runtime::prelude::*;
use tool_runtime::store::KeyState;

use super::keyed_runtime::{
    Act, FIVE, Finding, KeyedRuntime, TIMEOUT, check_error, check_replay, context, cx, no_retry,
};

#[tokio::test]
async fn tenant_user_tool_and_key_each_tell_calls_apart() {
    let setup = KeyedRuntime::new();
    let base = || context().idempotency_key("k");
    let other_tenant = ToolContext::builder(Uuid::max(), "trace-1").run_id("run-1");
    let actor = Actor::new(ActorType::Agent, "jane").unwrap();
    let contexts = [
        base(),
        other_tenant.user_id("jane").idempotency_key("k"),
        base().user_id("joe"),
        base().idempotency_key("K"),
        // An actor's name is not a user's.
        ToolContext::builder(Uuid::nil(), "trace-1")
            .run_id("run-1")
            .actor(actor)
            .idempotency_key("k"),
    ];
    let contexts = contexts.map(|builder| builder.build().unwrap());
    let mut answers = Vec::new();
    for (index, cx) in contexts.iter().enumerate() {
        let first = setup.call_with("pay", FIVE, cx).await;
        assert!(first.is_ok() && setup.bank.runs().len() == index + 1, "{index}: {first}");
        answers.push(first);
    }
    let other_tool = setup.call_with("pay_traced", FIVE, &contexts[0]).await;
    assert!(other_tool.is_ok() && setup.bank.runs().len() == 6, "{other_tool}");
    for (cx, first) in contexts.iter().zip(&answers) {
        check_replay(first, &setup.call_with("pay", FIVE, cx).await);
    }
    assert_eq!(setup.bank.runs().len(), 6);
}

#[tokio::test]
async fn a_user_is_the_same_principal_in_every_session_and_for_every_actor() {
    let setup = KeyedRuntime::new();
    let first = setup.call("pay", "k").await;
    let elsewhere = ToolContext::builder(Uuid::nil(), "trace-2").run_id("run-2").session_id("s-2");
    let actor = Actor::new(ActorType::Agent, "helper").unwrap();
    let elsewhere = elsewhere.idempotency_key("k");
    let user = elsewhere.clone().user_id("jane").actor(actor).build().unwrap();
    check_replay(&first, &setup.call_with("pay", FIVE, &user).await);
    let acting = elsewhere.actor(Actor::new(ActorType::User, "jane").unwrap()).build().unwrap();
    let second = setup.call_with("pay", FIVE, &acting).await;
    assert!(second.is_ok(), "an actor's id is no user's: {second}");
    assert_eq!(setup.bank.runs().len(), 2);
}

/// The same arguments in other spellings.
const SAME: [&str; 5] = [
    r#"{"cents":5,"currency":"EUR"}"#,
    r#"{"currency":"EUR","cents":5}"#,
    r#" { "cents" : 5 } "#,
    r#"{"cents":5e0}"#,
    r#"{"currency":"\u0045UR","cents":5.0}"#,
];

#[tokio::test]
async fn order_spelling_and_defaults_make_no_other_call() {
    let setup = KeyedRuntime::new();
    let first = setup.call("pay", "k").await;
    for same in SAME {
        check_replay(&first, &setup.call_with("pay", same, &cx("k")).await);
    }
    assert_eq!(setup.bank.runs().len(), 1);
}

/// Checks that a call with other arguments is rejected, and leaves the record unchanged.
async fn check_other_arguments(setup: &KeyedRuntime, tool: &str) {
    let before = setup.record(tool, "k").await;
    for other in [r#"{"cents":6}"#, r#"{"cents":5,"currency":"eur"}"#] {
        let refused = setup.call_with(tool, other, &cx("k")).await;
        check_error(&refused, "INVALID_ARGUMENT", Some("key_reused"));
    }
    assert_eq!(setup.record(tool, "k").await, before);
}

#[tokio::test(start_paused = true)]
async fn other_arguments_are_refused_in_every_state() {
    let setup = KeyedRuntime::with(no_retry());
    for (act, tool) in
        [(Act::Answer, "pay"), (Act::Decline, "pay_forwarded"), (Act::Lose, "pay_again")]
    {
        setup.bank.next([act]);
        setup.call(tool, "k").await;
        check_other_arguments(&setup, tool).await;
    }
    setup.leave_behind("pay_traced", "k").await;
    setup.bank.finds(Finding::DidNotHappen);
    check_other_arguments(&setup, "pay_traced").await;
    assert_eq!(setup.bank.asked(), [], "another call's outcome is not asked for");
    assert_eq!(setup.bank.runs().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn other_arguments_are_refused_while_the_first_call_runs() {
    let setup = KeyedRuntime::new();
    setup.bank.next([Act::Wait]);
    let mut call = setup.runtime.call("pay", FIVE, &cx("k"));
    let first = call.execute();
    let repeats = async {
        tokio::time::sleep(TIMEOUT / 4).await;
        let record = setup.record("pay", "k").await.unwrap();
        assert!(matches!(record.state, KeyState::Running { .. }), "{record:?}");
        check_other_arguments(&setup, "pay").await;
        setup.bank.gate.add_permits(1);
    };
    let (first, ()) = futures::join!(first, repeats);
    assert!(first.is_ok(), "{first}");
}
