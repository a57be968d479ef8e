//! A minimal test of each part.

use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;

/// Counts the effects.
#[derive(Default)]
struct Effects(AtomicU32);

/// Charges a card.
#[ai_tool(effect = "write")]
async fn charge(
    effects: &Effects,
    idempotency: &Idempotency,
    dry_run: &DryRun,
    /// The amount.
    cents: u32,
    /// In which currency.
    #[arg(default = "EUR")]
    currency: String,
) -> String {
    if !dry_run.is_active() {
        effects.0.fetch_add(1, Ordering::SeqCst);
    }
    format!("{cents} {currency} under {:?}", idempotency.key())
}

fn runtime(policy: Policy) -> Runtime {
    Runtime::builder()
        .tool::<ChargeTool>()
        .state(Effects::default())
        .permission("charge", Permission::Allow)
        .policy(policy)
        .build()
        .expect("the runtime")
}

fn cx(key: &str) -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace-1")
        .run_id("run-1")
        .user_id("jane")
        .idempotency_key(key)
        .build()
        .expect("the context")
}

#[tokio::test]
async fn a_repeat_gets_the_first_answer() {
    let runtime = runtime(Policy::new());
    let mut first = runtime.call("charge", r#"{"cents":5}"#, &cx("k"));
    let first = first.execute().await.clone();
    assert!(first.is_ok(), "{first}");
    let mut again = runtime.call("charge", r#"{"currency":"EUR","cents":5}"#, &cx("k"));
    let again = again.execute().await;
    assert_eq!(again.data_json(), first.data_json());
    assert!(again.meta_json().contains(r#""replayed":true"#), "{again}");
    let mut other = runtime.call("charge", r#"{"cents":6}"#, &cx("k"));
    assert_eq!(
        other.execute().await.error().and_then(|error| error.code()),
        Some("INVALID_ARGUMENT")
    );
}

#[tokio::test]
async fn a_ticket_leads_back_to_its_call() {
    let runtime = Runtime::builder()
        .tool::<ChargeTool>()
        .state(Effects::default())
        .policy(Policy::new().rules(ToolPolicy::new().bind_preview(true)))
        .build()
        .expect("the runtime");
    let mut call = runtime.call("charge", r#"{"cents":5}"#, &cx("k"));
    let ticket =
        call.execute().await.error().and_then(|error| error.details()).expect("details")["ticket"]
            .to_string();
    let mut resumed = runtime.tickets().resume(&ticket, &cx("other")).await;
    assert_eq!(
        resumed.status(),
        CallStatus::Pending,
        "{:?}",
        resumed.output().map(|it| it.json().to_owned())
    );
    resumed.approve("boss").unwrap();
    let output = resumed.execute().await.clone();
    assert!(output.is_ok(), "{output}");
    let mut again = runtime.tickets().resume(&ticket, &cx("other")).await;
    let refused = again.execute().await;
    assert_eq!(
        refused.error().and_then(|error| error.details()).expect("details")["reason"],
        "ticket_used"
    );
}
