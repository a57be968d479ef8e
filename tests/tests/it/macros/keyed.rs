//! Tools with options for idempotency and sharing of answers.
#![allow(clippy::trivially_copy_pass_by_ref, reason = "`reconcile` takes what the tool takes")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use tool_runtime::prelude::*;
use tool_runtime::{Reconciled, Runtime};

use super::{answer_in, build, context, data, runtime};

fn with_key() -> ToolContext {
    context().user_id("ada").idempotency_key("key-1").build().expect("a context")
}

#[test]
fn a_function_with_every_option_runs() {
    type Placed = Result<Vec<String>, std::io::Error>;

    /// Places an order.
    #[ai_tool(
        effect = "write",
        preview = show,
        reconcile = find,
        forwards_key,
        retention = "2d",
        blocking
    )]
    fn place(
        idempotency: &Idempotency,
        /// What.
        items: Vec<String>,
    ) -> Placed {
        assert_eq!(idempotency.key(), None);
        Ok(items)
    }

    fn show(_: &Idempotency, items: Vec<String>) -> usize {
        items.len()
    }

    fn find(_: &Idempotency, _: Vec<String>) -> Result<Reconciled<Vec<String>>, String> {
        Err("nobody asked".to_owned())
    }

    let runtime = runtime::<PlaceTool>();
    let arguments = r#"{"items":["tea"]}"#;
    assert_eq!(data(&runtime, "place", arguments), json!(["tea"]));
    let dry = context().dry_run(true).build().expect("a context");
    assert_eq!(answer_in(&runtime, "place", arguments, &dry)["data"], 1);
}

#[test]
fn a_method_with_every_option_runs() {
    type Key = Idempotency;
    struct Shop(u32);

    /// Sells.
    #[ai_toolkit]
    impl Shop {
        /// Places an order.
        #[ai_tool(effect = "destructive", reconcile = find, forwards_key, retention = "24h")]
        async fn place(&self, dry_run: &DryRun, key: &Key) -> Option<u32> {
            (!dry_run.is_active() && key.fence().is_none()).then_some(self.0)
        }

        /// Lists what there is.
        #[ai_tool(effect = "read", ttl = "1d", shared)]
        fn list(&self) -> u32 {
            self.0
        }

        async fn find(&self, _: &DryRun, _: &Key) -> Reconciled<Option<u32>> {
            Reconciled::DidNotHappen
        }
    }

    let runtime = build(Runtime::builder().toolkit(Shop(3)));
    assert_eq!(data(&runtime, "shop.place", "{}"), 3);
    assert_eq!(data(&runtime, "shop.list", "{}"), 3);
    assert_eq!(runtime.spec("shop.list").map(|spec| spec.ttl_seconds()), Some(Some(86_400)));
}

#[test]
fn a_finding_of_reconcile_answers_a_repeat() {
    /// Places an order and is cut off.
    #[ai_tool(effect = "write", reconcile = find)]
    async fn place(orders: &AtomicU64, _: &DryRun, _: &Idempotency) -> Result<u64, String> {
        let order = orders.fetch_add(1, Ordering::Relaxed);
        panic!("cut off after order {order}");
    }

    #[allow(clippy::unused_async, reason = "`reconcile` is what the tool is")]
    async fn find(orders: &AtomicU64, _: &DryRun, key: &Idempotency) -> Reconciled<u64> {
        assert_eq!(key.fence(), Some(2));
        Reconciled::Happened(orders.load(Ordering::Relaxed))
    }

    let runtime = build(Runtime::builder().tool::<PlaceTool>().state(AtomicU64::new(0)));
    assert_eq!(answer_in(&runtime, "place", "{}", &with_key())["error"]["code"], "INTERNAL");
    for _ in 0..2 {
        assert_eq!(answer_in(&runtime, "place", "{}", &with_key())["data"], 1);
    }
}

#[test]
fn a_repeat_may_name_an_argument_by_its_alias() {
    /// Words and their weight.
    #[ai_type]
    struct Words {
        /// The text.
        #[serde(alias = "text")]
        q: String,
        /// The weight.
        #[arg(default = 1)]
        #[serde(alias = "rank")]
        weight: u8,
    }

    /// Notes words.
    #[ai_tool(effect = "write")]
    fn note(
        runs: &AtomicU64,
        _: &DryRun,
        /// The words.
        v: Words,
        /// Further words.
        more: Option<Words>,
    ) -> String {
        let more = more.map(|more| format!(" {} {}", more.q, more.weight)).unwrap_or_default();
        format!("{} {} {}{more}", runs.fetch_add(1, Ordering::Relaxed), v.q, v.weight)
    }

    let runtime = build(Runtime::builder().tool::<NoteTool>().state(AtomicU64::new(0)));
    for arguments in [
        r#"{"v":{"q":"tea"},"more":{"q":"milk","weight":2}}"#,
        r#"{"v":{"text":"tea"},"more":{"text":"milk","rank":2}}"#,
        r#"{"more":{"rank":2,"q":"milk"},"v":{"rank":1,"text":"tea"}}"#,
    ] {
        let envelope = answer_in(&runtime, "note", arguments, &with_key());
        assert_eq!(envelope["data"], "0 tea 1 milk 2", "{arguments} {envelope}");
    }
    let other = r#"{"v":{"text":"mate"},"more":{"q":"milk","weight":2}}"#;
    let envelope = answer_in(&runtime, "note", other, &with_key());
    assert_eq!(envelope["error"]["code"], "INVALID_ARGUMENT", "{envelope}");
}

#[test]
fn a_forwarded_key_lets_a_tool_run_again() {
    /// Asks a service that keeps keys; the first answer is lost.
    #[ai_tool(effect = "write", forwards_key)]
    fn place(runs: &AtomicU64, _: &DryRun, key: &Idempotency) -> Option<u64> {
        assert!(runs.fetch_add(1, Ordering::Relaxed) > 0, "the answer is lost");
        key.fence()
    }

    let runtime = build(Runtime::builder().tool::<PlaceTool>().state(AtomicU64::new(0)));
    assert_eq!(answer_in(&runtime, "place", "{}", &with_key())["error"]["code"], "INTERNAL");
    assert_eq!(answer_in(&runtime, "place", "{}", &with_key())["data"], 2);
}

#[test]
fn a_shared_answer_serves_the_tenants_other_users() {
    /// Counts what all may know.
    #[ai_tool(effect = "read", ttl = "1h", shared)]
    fn ours(runs: &AtomicU64) -> u64 {
        runs.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts what one may know.
    #[ai_tool(effect = "read", ttl = "1h")]
    fn mine(runs: &AtomicU64) -> u64 {
        runs.fetch_add(1, Ordering::Relaxed)
    }

    let runs = Arc::new(AtomicU64::new(0));
    let builder =
        Runtime::builder().tool::<OursTool>().tool::<MineTool>().shared_state(Arc::clone(&runs));
    let runtime = build(builder);
    for user in ["ada", "grace"] {
        let cx = context().user_id(user).build().expect("a context");
        assert_eq!(answer_in(&runtime, "ours", "{}", &cx)["data"], 0);
        answer_in(&runtime, "mine", "{}", &cx);
    }
    assert_eq!(runs.load(Ordering::Relaxed), 3);
}
