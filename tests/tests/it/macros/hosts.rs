//! The source of a parameter: decided by `&`, never by a type's spelling.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_runtime::prelude::*;
use tool_runtime::{Failure, FromCall, Runtime};

use super::{answer, build, data, error, input_schema, runtime};

#[test]
fn aliases_and_reexports_of_host_types_work() {
    mod away {
        pub(super) use tool_runtime::{Cancellation as Stop, MetaRecorder as M};
    }
    use tool_runtime::prelude::ToolContext as C;
    type Cx = ToolContext;

    /// Uses every name but the original ones.
    #[ai_tool(effect = "read")]
    async fn named(cx: &Cx, again: &C, stop: &away::Stop, meta: &away::M) -> bool {
        meta.warning("careful");
        cx.trace_id() == again.trace_id() && !stop.is_cancelled()
    }

    let runtime = runtime::<NamedTool>();
    let envelope = answer(&runtime, "named", "{}");
    assert_eq!(envelope["data"], true);
    assert_eq!(envelope["meta"]["warnings"], json!(["careful"]));
    assert_eq!(input_schema(&runtime, "named")["properties"], json!({}));
}

#[test]
fn state_may_be_a_trait_object() {
    trait Store: Send + Sync {
        fn size(&self) -> u32;
    }
    struct Small;
    impl Store for Small {
        fn size(&self) -> u32 {
            2
        }
    }

    /// Says how big the store is.
    #[ai_tool(effect = "read")]
    async fn size(store: &dyn Store, same: &(dyn Store + Send)) -> u32 {
        store.size() + same.size()
    }

    let store: Arc<dyn Store> = Arc::new(Small);
    let same: Arc<dyn Store + Send> = Arc::new(Small);
    let runtime =
        build(Runtime::builder().tool::<SizeTool>().shared_state(store).shared_state(same));
    assert_eq!(data(&runtime, "size", "{}"), 4);
}

#[test]
fn state_is_shared_by_all_calls() {
    /// Counts its calls.
    #[ai_tool(effect = "read")]
    fn count(counter: &AtomicU32) -> u32 {
        counter.fetch_add(1, Ordering::Relaxed)
    }

    let counter = Arc::new(AtomicU32::new(0));
    let runtime = build(Runtime::builder().tool::<CountTool>().shared_state(Arc::clone(&counter)));
    assert_eq!(data(&runtime, "count", "{}"), 0);
    assert_eq!(data(&runtime, "count", "{}"), 1);
    assert_eq!(counter.load(Ordering::Relaxed), 2);
}

#[test]
fn a_users_own_extractor_is_asked_at_each_call() {
    struct Tenant(String);
    impl FromCall for Tenant {
        fn from_call(call: &tool_runtime::CallScope) -> Result<Self, Failure> {
            Ok(Self(call.cx().trace_id().to_owned()))
        }
    }

    /// Says who calls.
    #[ai_tool(effect = "read")]
    async fn who(tenant: &Tenant) -> String {
        tenant.0.clone()
    }

    assert_eq!(data(&runtime::<WhoTool>(), "who", "{}"), "trace");
}

#[test]
fn a_model_cannot_fill_a_hosts_parameter() {
    /// Says whose trace it is.
    #[ai_tool(effect = "read")]
    async fn whose(cx: &ToolContext) -> String {
        cx.trace_id().to_owned()
    }

    assert_eq!(error(&runtime::<WhoseTool>(), "whose", r#"{"cx":{}}"#)["code"], "INVALID_ARGUMENT");
}

#[test]
fn hosts_stand_anywhere_and_need_no_name() {
    /// Mixes the two kinds.
    #[ai_tool(effect = "read")]
    async fn mixed<'a>(
        /// First.
        first: u8,
        _: &'a ToolContext,
        /// Last.
        last: &'a str,
        _progress: &Progress,
    ) -> String {
        format!("{first}{last}")
    }

    assert_eq!(data(&runtime::<MixedTool>(), "mixed", r#"{"first":1,"last":"2"}"#), "12");
}
