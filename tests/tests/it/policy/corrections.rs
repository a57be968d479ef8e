//! A model that repeatedly calls one tool wrongly is told to stop.

use serde_json::{Value, json};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::script::{Script, builder, call, call_with, jane};

fn runtime(policy: Policy) -> Runtime {
    builder(&Script::quick(Ok)).policy(policy).build().expect("the runtime")
}

fn run(name: &str) -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace").run_id(name).build().expect("the context")
}

async fn wrong(runtime: &Runtime, tool: &str, cx: &ToolContext) -> Value {
    call_with(runtime, tool, r#"{"x":1}"#, cx).await
}

fn is_told_to_stop(found: &Value) -> bool {
    let message = found["error"]["message"].as_str().expect("a message");
    let told = message.contains("stop calling it");
    assert_eq!(found["error"]["details"].get("stop").is_some(), told, "{found}");
    told
}

#[tokio::test]
async fn the_third_refusal_of_a_tool_says_stop() {
    let runtime = runtime(Policy::new());
    for _ in 0..2 {
        assert!(!is_told_to_stop(&wrong(&runtime, "peek", &jane()).await));
    }
    let found = wrong(&runtime, "peek", &jane()).await;
    let plain = found["error"]["message"].as_str().unwrap();
    let (refusal, stop) = plain.split_once("; this is refusal").expect("both halves");
    assert!(refusal.contains('x'), "{refusal}: it still says what is wrong");
    assert_eq!(stop, " 3 of this tool in this run: stop calling it and say what is missing");
    assert_eq!(
        (&found["error"]["details"]["stop"], &found["error"]["details"]["refusals"]),
        (&json!(true), &json!(3))
    );
    assert!(found["error"]["details"]["violations"].is_array(), "{found}");
    assert_eq!(found["error"]["code"], "INVALID_ARGUMENT");
    let found = wrong(&runtime, "peek", &jane()).await;
    assert_eq!(found["error"]["details"]["refusals"], 4, "and so does every one after it");
}

#[tokio::test]
async fn a_right_call_is_answered_all_the_same() {
    let runtime = runtime(Policy::new());
    for _ in 0..5 {
        wrong(&runtime, "peek", &jane()).await;
    }
    assert_eq!(call(&runtime, "peek", &jane()).await["status"], "ok");
}

#[tokio::test]
async fn refusals_are_counted_by_run_and_by_tool() {
    let runtime = runtime(Policy::new().correction_budget(2));
    assert!(!is_told_to_stop(&wrong(&runtime, "peek", &run("a")).await));
    assert!(!is_told_to_stop(&wrong(&runtime, "look", &run("a")).await));
    assert!(!is_told_to_stop(&wrong(&runtime, "peek", &run("b")).await));
    assert!(is_told_to_stop(&wrong(&runtime, "peek", &run("a")).await));
    assert!(!is_told_to_stop(&wrong(&runtime, "peek", &run("c")).await));
}

#[tokio::test]
async fn a_name_that_no_tool_has_is_counted_too() {
    let runtime = runtime(Policy::new());
    for _ in 0..2 {
        assert!(!is_told_to_stop(&call(&runtime, "pekk", &jane()).await));
    }
    let found = call(&runtime, "pekk", &jane()).await;
    assert!(is_told_to_stop(&found));
    assert_eq!(found["error"]["details"]["closest"][0], "peek");
    assert!(!is_told_to_stop(&call(&runtime, "lokk", &jane()).await), "another name");
}

#[tokio::test]
async fn a_refusal_by_the_tool_itself_is_not_counted() {
    let script = Script::quick(|_| {
        super::script::scripted_error(tool_runtime::contracts::ErrorCode::NotFound)
    });
    let runtime = builder(&script).build().unwrap();
    for _ in 0..6 {
        assert!(!is_told_to_stop(&call(&runtime, "peek", &jane()).await));
    }
}

#[tokio::test]
async fn zero_says_it_never_and_one_at_once() {
    let never = runtime(Policy::new().correction_budget(0));
    for _ in 0..6 {
        assert!(!is_told_to_stop(&wrong(&never, "peek", &jane()).await));
    }
    let at_once = runtime(Policy::new().correction_budget(1));
    assert!(is_told_to_stop(&wrong(&at_once, "peek", &jane()).await));
}

#[tokio::test]
async fn runs_are_forgotten_when_there_are_very_many() {
    let runtime = runtime(Policy::new().correction_budget(2));
    for number in 0..30_000 {
        drop(runtime.call("nobody", "{}", &run(&number.to_string())));
    }
    let mut remembered = 0;
    for number in 0..30_000 {
        let call = runtime.call("nobody", "{}", &run(&number.to_string()));
        let details = call.output().and_then(|output| output.error()?.details().cloned());
        remembered += u32::from(details.is_some_and(|details| details.contains_key("stop")));
    }
    assert!(remembered <= 11_000, "{remembered} of 30,000 runs");
    assert!(is_told_to_stop(&wrong_twice(&runtime).await), "and the last ones are not");
}

async fn wrong_twice(runtime: &Runtime) -> Value {
    wrong(runtime, "peek", &run("last")).await;
    wrong(runtime, "peek", &run("last")).await
}
