//! The ids of users, sessions and sites in spans: absent unless the host enables them.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_runtime::prelude::*;
use tool_runtime::trace::SpanIds;

use super::{Recorder, ToolRuns, attributes, builder, what};

const USER: &str = "user-4711";
const SESSION: &str = "session-0815";
const SITE: &str = "site-main";

fn cx() -> ToolContext {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1");
    cx.user_id(USER).session_id(SESSION).site_id(SITE).build().expect("a context")
}

/// Runs a call, and one that is refused; gives the attributes of both spans.
async fn recorded(ids: Option<SpanIds>) -> [BTreeMap<String, String>; 2] {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    let builder = builder(&tool_runs);
    let builder = ids.into_iter().fold(builder, tool_runtime::RuntimeBuilder::span_ids);
    let runtime = builder.build().expect("the runtime");
    runtime.call("look", what("tea"), &cx()).execute().await;
    runtime.call("look", "{}", &cx()).execute().await;
    let [ran, refused] = &recorder.all("execute_tool look")[..] else { panic!("two spans") };
    [attributes(ran), attributes(refused)]
}

#[tokio::test]
async fn no_user_session_or_site_is_in_a_span_unless_the_host_asks() {
    for found in recorded(None).await {
        for id in [USER, SESSION, SITE] {
            assert!(!found.values().any(|value| value.contains(id)), "{found:#?}");
        }
        assert_eq!(found["tool_runtime.run.id"], "run-1");
    }
}

#[tokio::test]
async fn ids_that_are_asked_for_have_the_names_that_others_read() {
    let ids = SpanIds::none().user().session().site().langfuse_metadata();
    for found in recorded(Some(ids)).await {
        for (name, id) in [
            ("user.id", USER),
            ("session.id", SESSION),
            ("tool_runtime.site.id", SITE),
            ("tool_runtime.run.id", "run-1"),
            ("langfuse.trace.metadata.site_id", SITE),
            ("langfuse.trace.metadata.run_id", "run-1"),
        ] {
            assert_eq!(found.get(name).map(String::as_str), Some(id), "{name}: {found:#?}");
        }
    }
}

#[tokio::test]
async fn each_id_is_asked_for_by_itself() {
    let cases = [
        (SpanIds::none().user(), USER),
        (SpanIds::none().session(), SESSION),
        (SpanIds::none().site(), SITE),
    ];
    for (ids, expected) in cases {
        for found in recorded(Some(ids)).await {
            let among = [USER, SESSION, SITE].map(|id| found.values().any(|value| value == id));
            assert_eq!(among, [USER, SESSION, SITE].map(|id| id == expected), "{found:#?}");
        }
    }
}
