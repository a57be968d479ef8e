//! Code that `#[ai_tool]` generates for idempotent execution.
#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_async,
    reason = "what is tested is the form of a function, not its need of it"
)]

use std::thread;
use std::time::Duration;

use tool_contracts::ToolContext;
use tool_runtime_derive::{ToolFailure, ai_tool, ai_toolkit};
use uuid::Uuid;

use crate::call::ToolCall;
use crate::failure::Failure;
use crate::tool::registry::Tool;
use crate::tool::{DryRun, Idempotency, ReconcileOutcome, Reconciled, ToolEnd};
use crate::{Runtime, RuntimeBuilder};

fn open(builder: RuntimeBuilder, name: &str, arguments: &str) -> ToolCall {
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace").run_id("run").build();
    builder.build().expect("all it needs").call(name, arguments, &cx.expect("a context"))
}

fn call<T: Tool>(arguments: &str) -> ToolCall {
    open(Runtime::builder().tool::<T>(), T::definition().name, arguments)
}

/// Reconciles an earlier run under a key.
async fn asked(call: &ToolCall) -> String {
    let scope = call.scope().expect("a known tool");
    scope.set_idempotency(Idempotency::new("key", 2));
    let question = scope.reconciling();
    question.stage().open();
    match question.registered().start.start(question.clone()).await.0 {
        ToolEnd::Reconciled(ReconcileOutcome::Happened(answer)) => {
            String::from_utf8_lossy(&answer.json[answer.data_start..]).into_owned()
        }
        ToolEnd::Reconciled(ReconcileOutcome::DidNotHappen) => "did not happen".to_owned(),
        ToolEnd::Reconciled(ReconcileOutcome::Unknown) => "unknown".to_owned(),
        ToolEnd::Failed(fault) => fault.failure.message().to_owned(),
        _ => "ran".to_owned(),
    }
}

#[test]
fn options_reach_whoever_governs_the_calls() {
    /// Has them all.
    #[ai_tool(
        effect = "write",
        reconcile = find,
        forwards_key,
        retention = "2d",
        crate = crate
    )]
    fn keyed(_: &DryRun, _: &Idempotency) {}
    fn find(_: &DryRun, _: &Idempotency) -> Reconciled<()> {
        Reconciled::Unknown
    }

    /// Is shared.
    #[ai_tool(effect = "read", ttl = "1m", shared, crate = crate)]
    fn known() {}

    /// Has none.
    #[ai_tool(effect = "write", forwards_key = false, crate = crate)]
    fn plain(_: &DryRun) {}

    let behavior = |call: ToolCall| call.scope().expect("a known tool").registered().behavior;
    let keyed = behavior(call::<KeyedTool>("{}"));
    assert!(keyed.reconciles && keyed.forwards_key && !keyed.shared);
    assert_eq!(keyed.retention, Some(Duration::from_secs(48 * 60 * 60)));
    let known_behavior = behavior(call::<KnownTool>("{}"));
    assert!(known_behavior.shared && !known_behavior.reconciles && !known_behavior.forwards_key);
    let plain_behavior = behavior(call::<PlainTool>("{}"));
    assert!(!plain_behavior.reconciles && !plain_behavior.forwards_key && !plain_behavior.shared);
    assert_eq!(plain_behavior.retention, None);
}

#[tokio::test]
async fn a_reconcile_is_asked_in_the_tools_place() {
    #[derive(Debug, ToolFailure)]
    #[failure(UNAVAILABLE, message = "the ledger is closed", crate = crate)]
    struct Closed;

    /// Orders.
    #[ai_tool(effect = "write", reconcile = find, crate = crate)]
    async fn order(
        _: &DryRun,
        idempotency: &Idempotency,
        /// The article.
        items: Vec<String>,
    ) -> Result<Vec<String>, Failure> {
        let _ = (idempotency, &items);
        Ok(items)
    }

    async fn find(
        _: &DryRun,
        idempotency: &Idempotency,
        items: Vec<String>,
    ) -> Result<Reconciled<Vec<String>>, Closed> {
        let key = idempotency.key().unwrap_or_default().to_owned();
        match items.first().map(String::as_str) {
            Some("tea") => Ok(Reconciled::Happened([vec![key], items].concat())),
            Some("coffee") => Ok(Reconciled::DidNotHappen),
            Some("milk") => Ok(Reconciled::Unknown),
            _ => Err(Closed),
        }
    }

    let asked =
        async |items: &str| asked(&call::<OrderTool>(&format!(r#"{{"items":{items}}}"#))).await;
    assert_eq!(asked(r#"["tea"]"#).await, r#"["key","tea"]"#);
    assert_eq!(asked(r#"["coffee"]"#).await, "did not happen");
    assert_eq!(asked(r#"["milk"]"#).await, "unknown");
    assert_eq!(asked("[]").await, "the ledger is closed");
}

#[tokio::test]
async fn a_reconcile_runs_as_its_tool_does() {
    /// Orders slowly.
    #[ai_tool(effect = "write", blocking, reconcile = find, crate = crate)]
    fn order(
        _: &DryRun,
        /// The article.
        item: &str,
    ) -> String {
        item.to_owned()
    }

    fn find(_: &DryRun, item: &str) -> Reconciled<String> {
        Reconciled::Happened(format!("{item} by {:?}", thread::current().id()))
    }

    let asked = asked(&call::<OrderTool>(r#"{"item":"tea"}"#)).await;
    assert!(asked.starts_with(r#""tea by ThreadId"#), "{asked}");
    assert_ne!(asked, format!(r#""tea by {:?}""#, thread::current().id()));
}

#[tokio::test]
async fn a_reconcile_is_a_method_beside_its_tool() {
    struct Shop(&'static str);

    /// Sells.
    #[ai_toolkit(crate = crate)]
    impl Shop {
        /// Orders.
        #[ai_tool(effect = "write", preview = show, reconcile = find, forwards_key, retention = "24h")]
        async fn order(&self, _: &Idempotency) -> String {
            self.0.to_owned()
        }

        /// Orders without the shop.
        #[ai_tool(effect = "write", reconcile = elsewhere::find)]
        fn drop_ship(_: &DryRun) -> u32 {
            1
        }

        async fn show(&self, _: &Idempotency) -> bool {
            self.0.is_empty()
        }

        async fn find(&self, _: &Idempotency) -> Reconciled<String> {
            Reconciled::Happened(format!("{} had it", self.0))
        }
    }

    mod elsewhere {
        use super::*;

        pub(super) fn find(_: &DryRun) -> Reconciled<u32> {
            Reconciled::Happened(2)
        }
    }

    let call = |name| open(Runtime::builder().toolkit(Shop("the shop")), name, "{}");
    assert_eq!(asked(&call("shop.order")).await, r#""the shop had it""#);
    assert_eq!(asked(&call("shop.drop_ship")).await, "2");
    let order = call("shop.order");
    let behavior = order.scope().expect("a known tool").registered().behavior;
    assert!(behavior.reconciles && behavior.forwards_key);
    assert_eq!(behavior.retention, Some(Duration::from_secs(24 * 60 * 60)));
}

#[tokio::test]
async fn a_reconcile_may_borrow_as_its_tool_does() {
    type ToolResult<T> = Result<T, Failure>;

    /// Echoes.
    #[ai_tool(effect = "write", reconcile = find, crate = crate)]
    async fn echo<'a>(
        _: &DryRun,
        /// The text.
        text: &'a str,
    ) -> ToolResult<Vec<&'a str>> {
        Ok(vec![text])
    }

    async fn find<'a>(_: &DryRun, text: &'a str) -> Reconciled<Vec<&'a str>> {
        Reconciled::Happened(text.split(' ').collect())
    }

    assert_eq!(asked(&call::<EchoTool>(r#"{"text":"a b"}"#)).await, r#"["a","b"]"#);
}

#[tokio::test]
async fn a_reconcile_of_an_unnamed_answer_tells_of_any() {
    /// Counts.
    #[ai_tool(effect = "write", reconcile = find, crate = crate)]
    fn count(_: &DryRun) -> impl serde::Serialize + schemars::JsonSchema + use<> {
        1
    }

    fn find(_: &DryRun) -> Reconciled<&'static str> {
        Reconciled::Happened("one")
    }

    assert_eq!(asked(&call::<CountTool>("{}")).await, r#""one""#);
}
