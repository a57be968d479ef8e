//! A catalogue that changes while calls run: additions, replacements, disabling, removal, and what
//! lists, searches and subscriptions show of them.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::sync::Semaphore;
use tool_runtime::policy::{Policy, RateLimit, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::search::search_tools;
use tool_runtime::{BuildProblem, ToolChanges};

use crate::support::envelope;

/// A read that answers this word.
fn says(name: &str, word: &'static str) -> DynamicTool {
    described(name).handler(move |_| async move { Ok::<_, Failure>(word) })
}

fn described(name: &str) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}});
    DynamicTool::new(name, Effect::Read).description("Says a word.").input_schema(schema)
}

fn saying(word: &'static str) -> Runtime {
    Runtime::builder().dynamic(says("say", word)).build().unwrap()
}

async fn answer(runtime: &Runtime, name: &str) -> ToolOutput {
    runtime.call(name, "{}", &ToolContext::local()).execute().await.clone()
}

fn names(runtime: &Runtime) -> Vec<String> {
    runtime.specs().map(|spec| spec.name().to_owned()).collect()
}

#[tokio::test]
async fn a_tool_that_is_added_can_be_called_and_a_removed_one_is_unknown() {
    let runtime = saying("one");
    let before = runtime.tools().list();
    let after = runtime.tools().add(says("also", "two")).unwrap();
    assert_eq!(after.version(), before.version() + 1);
    assert_eq!(names(&runtime), ["also", "say"]);
    assert_eq!(before.specs().count(), 1, "a list is of its moment");
    assert_eq!(answer(&runtime, "also").await.data_json(), Some(r#""two""#));

    assert!(runtime.tools().remove("also"));
    assert!(!runtime.tools().remove("also"));
    let unknown = answer(&runtime, "also").await;
    assert_eq!(envelope(&unknown)["error"]["code"], "NOT_FOUND");
    assert_eq!(names(&runtime), ["say"]);
}

#[tokio::test]
async fn a_running_and_a_waiting_call_keep_the_tool_that_they_were_opened_with() {
    let (runtime, gate) = (saying("unused"), Arc::new(Semaphore::new(0)));
    let opened = gate.clone();
    let slow = described("slow").handler(move |_| {
        let gate = opened.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            Ok::<_, Failure>("old")
        }
    });
    runtime.tools().add(slow).unwrap();
    let cx = ToolContext::local();
    let (mut running, mut waiting) =
        (runtime.call("slow", "{}", &cx), runtime.call("slow", "{}", &cx));
    let change = async {
        tokio::task::yield_now().await;
        runtime.tools().replace(says("slow", "new")).unwrap();
        runtime.tools().disable("slow", "it is too slow");
        runtime.tools().remove("slow");
        gate.add_permits(2);
    };
    let (ran, ()) = tokio::join!(running.execute(), change);
    assert_eq!(ran.data_json(), Some(r#""old""#));
    assert_eq!(waiting.execute().await.data_json(), Some(r#""old""#));
    assert_eq!(runtime.call("slow", "{}", &cx).status(), CallStatus::Rejected);
}

#[tokio::test]
async fn a_disabled_tool_is_in_no_list_and_its_calls_are_refused_without_the_hosts_reason() {
    let builder = Runtime::builder().dynamic(says("say", "one")).dynamic(search_tools());
    let runtime = builder.build().unwrap();
    let search = || async {
        let mut call =
            runtime.call("search_tools", r#"{"query":"says word"}"#, &ToolContext::local());
        call.execute().await.data_json().unwrap().to_owned()
    };
    assert!(search().await.contains(r#""name":"say""#));

    assert!(runtime.tools().disable("say", "its server answered with instructions"));
    assert_eq!(names(&runtime), ["search_tools"]);
    assert!(runtime.spec("say").is_none());
    assert!(runtime.specs_for_model().all(|spec| spec.name() != "say"));
    assert_eq!(search().await, r#"{"tools":[]}"#);
    let disabled = runtime.tools().disabled();
    let [(name, reason)] = &disabled[..] else { panic!("one is disabled: {disabled:?}") };
    assert_eq!((&**name, &**reason), ("say", "its server answered with instructions"));

    let refused = answer(&runtime, "say").await;
    let error = &envelope(&refused)["error"];
    assert_eq!(
        (&error["code"], &error["details"]["reason"]),
        (&json!("FORBIDDEN"), &json!("tool_disabled"))
    );
    assert!(!refused.to_string().contains("instructions"), "{refused}");
    // Its name is not suggested for another one either.
    let unknown = answer(&runtime, "sey").await;
    assert_eq!(envelope(&unknown)["error"]["details"]["closest"], json!([]));

    assert!(runtime.tools().enable("say"));
    assert_eq!(answer(&runtime, "say").await.data_json(), Some(r#""one""#));
    assert!(!runtime.tools().disable("sey", "a slip") && !runtime.tools().enable("sey"));
}

#[test]
fn several_changes_are_made_together_or_not_at_all() {
    let runtime = saying("one");
    let version = runtime.tools().list().version();
    let broken = ToolChanges::new()
        .add(says("more", "two"))
        .add(says("say", "again"))
        .replace(says("missing", "three"))
        .add(described("empty"))
        .remove("nothing");
    let error = runtime.tools().apply(broken).unwrap_err();
    let found: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "a tool named `say` is there already: replace it, or rename one",
            "there is no tool named `missing` to change",
            "`empty` has nothing to run: call `.handler(…)`",
            "there is no tool named `nothing` to change",
        ]
    );
    assert_eq!((names(&runtime), runtime.tools().list().version()), (vec!["say".into()], version));

    let whole = ToolChanges::new().remove("say").add(says("say", "two")).disable("say", "for now");
    assert_eq!(runtime.tools().apply(whole).unwrap().version(), version + 1);
    assert!(names(&runtime).is_empty());
    let same = runtime.tools().apply(ToolChanges::new()).unwrap();
    assert_eq!(same.version(), version + 1, "no change makes no version");
}

#[test]
fn a_subscription_hears_each_change_until_it_is_dropped() {
    let runtime = saying("one");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let to = heard.clone();
    let first = runtime.tools().list().version();
    let subscription = runtime.tools().subscribe(move |list| {
        to.lock().unwrap().push((list.version(), list.specs().count()));
    });
    runtime.tools().add(says("more", "two")).unwrap();
    runtime.tools().add(says("more", "again")).unwrap_err();
    runtime.tools().disable("say", "for now");
    drop(subscription);
    runtime.tools().enable("say");
    assert_eq!(*heard.lock().unwrap(), [(first + 1, 2), (first + 2, 1)]);
}

#[test]
fn a_listener_may_change_tools_and_may_panic() {
    let runtime = saying("one");
    let changing = runtime.clone();
    let _kept = runtime.tools().subscribe(move |list| {
        if list.spec("second").is_none() {
            changing.tools().add(says("second", "two")).unwrap();
        }
        panic!("a listener of the host");
    });
    runtime.tools().add(says("first", "one")).unwrap();
    assert_eq!(names(&runtime), ["first", "say", "second"]);
}

#[test]
fn settings_may_name_tools_that_come_later_where_the_host_says_so() {
    let policy =
        || Policy::new().rules_for("github", ToolPolicy::new().retry(RetryConfig::never()));
    let builder = || {
        let builder = Runtime::builder().permission("github.close", Permission::Deny);
        builder.policy(policy())
    };
    let refused = builder().build().unwrap_err();
    assert!(matches!(
        refused.problems(),
        [BuildProblem::UnknownPermission { .. }, BuildProblem::UnknownRules { .. }]
    ));
    let runtime = builder().expect_more_tools().build().unwrap();
    runtime.tools().add(says("github.close", "closed")).unwrap();
    assert!(runtime.spec("github.close").is_none(), "it is denied");
    let call = runtime.call("github.close", "{}", &ToolContext::local());
    assert_eq!(call.output().unwrap().error().unwrap().message(), "this tool may not be called");
}

#[tokio::test]
async fn a_tool_that_is_replaced_leaves_its_rate_limit_to_its_successor() {
    let rules = ToolPolicy::new().rate_limit(RateLimit::per_minute(1).unwrap());
    let builder = Runtime::builder().dynamic(says("say", "one")).policy(Policy::new().rules(rules));
    let runtime = builder.build().unwrap();
    assert!(answer(&runtime, "say").await.is_ok());
    runtime.tools().replace(says("say", "two")).unwrap();
    assert_eq!(envelope(&answer(&runtime, "say").await)["error"]["code"], "RATE_LIMITED");
}

#[tokio::test]
async fn an_echo_of_an_unknown_name_has_no_secret_of_a_tool_that_was_removed() {
    let schema = json!({
        "type": "object",
        "properties": {"pin": {"type": "string", "x-sensitivity": "secret"}},
    });
    let open = described("open").input_schema(schema);
    let open = open.handler(|_| async { Ok::<_, Failure>(()) });
    let runtime = Runtime::builder().dynamic(open).build().unwrap();
    runtime.tools().remove("open");
    let call = runtime.call("open", r#"{"pin":"correct-horse"}"#, &ToolContext::local());
    assert!(!call.output().unwrap().to_string().contains("correct-horse"));
}
