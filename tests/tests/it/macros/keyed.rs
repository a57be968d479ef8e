//! Tools that run once under a key: what they say of it changes no call that has none.
#![allow(clippy::trivially_copy_pass_by_ref, reason = "`reconcile` takes what the tool takes")]

use serde_json::json;
use tool_runtime::contracts::ToolSpec;
use tool_runtime::prelude::*;
use tool_runtime::{Reconciled, Runtime};

use super::{answer_in, build, context, data, runtime};

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

    let runtime = runtime::<Place>();
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
    assert_eq!(runtime.spec("shop.list").map(ToolSpec::ttl_seconds), Some(Some(86_400)));
}
