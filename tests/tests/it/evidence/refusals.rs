//! Failures that a tool returns itself leave evidence as its answers do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tool_runtime::EvidenceRecorder;
use tool_runtime::contracts::envelope::ResponseEnvelope;
use tool_runtime::evidence::{EvidenceKeeper, Replay, SnapshotId, Vault};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::keeping::{Broken, Woe};
use super::{EvidenceSetup, TENANT, access, cx_of};
use crate::ledger::{recorded, ring};
use crate::support::envelope;

#[derive(Debug, ToolFailure)]
enum Refused {
    #[failure(COMPLIANCE_BLOCKED, message = "the law forbids it")]
    Forbidden,
    #[failure(OUT_OF_STOCK, message = "it is sold")]
    Sold,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Forbidden => "forbidden",
            Self::Sold => "sold",
        })
    }
}

impl std::error::Error for Refused {}

/// Checks an article.
#[ai_tool(effect = "read", evidence)]
async fn check_item(
    evidence: &EvidenceRecorder,
    /// Its number.
    sku: String,
) -> Result<bool, Refused> {
    evidence.rule("ruleset", "2026-11-01");
    match &*sku {
        "panic" => panic!("it was asked to"),
        "stone" => Err(Refused::Forbidden),
        _ => Ok(true),
    }
}

/// Orders an article, which is never there.
#[ai_tool(effect = "write", evidence)]
async fn order(
    tried: &Arc<AtomicU32>,
    evidence: &EvidenceRecorder,
    dry: &DryRun,
) -> Result<u32, Refused> {
    let _ = dry;
    tried.fetch_add(1, Ordering::SeqCst);
    evidence.rule("stock", "today");
    Err(Refused::Sold)
}

fn runtime(setup: &EvidenceSetup, keeper: EvidenceKeeper) -> Runtime {
    let tried = Arc::new(AtomicU32::new(0));
    let builder = Runtime::builder().tool::<CheckItemTool>().tool::<OrderTool>().state(tried);
    let builder = builder.permission("order", Permission::Allow).policy(Policy::new());
    builder.ledger(&setup.ledger).evidence(keeper).build().unwrap()
}

async fn answer(runtime: &Runtime, tool: &str, arguments: &str, key: Option<&str>) -> Value {
    let mut cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    if let Some(key) = key {
        cx = cx.idempotency_key(key);
    }
    envelope(runtime.call(tool, arguments, &cx.build().unwrap()).execute().await)
}

fn id(answer: &Value) -> Option<SnapshotId> {
    answer["meta"]["evidence"]["snapshot_id"].as_str().map(|id| id.parse().unwrap())
}

const STONE: &str = r#"{"sku":"stone"}"#;

#[tokio::test]
async fn a_refusal_names_its_evidence_which_says_by_what_rules_it_was_refused() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let mut call = runtime.call("check_item", STONE, &cx_of(TENANT));
    let output = call.execute().await;
    let (refused, shared) = (envelope(output), output.to_envelope());
    assert_eq!(refused["error"]["code"], "COMPLIANCE_BLOCKED");
    let id = id(&refused).expect("its evidence");
    assert_eq!(shared.evidence().expect("its evidence").snapshot_id(), id.to_string());
    let text = serde_json::to_string(&shared).unwrap();
    let read: ResponseEnvelope = serde_json::from_str(&text).unwrap();
    assert_eq!(read.evidence(), shared.evidence());

    let opened = setup.keeper.vault().read(TENANT, id, &access()).await.unwrap();
    assert_eq!(opened.snapshot.error(), Some("COMPLIANCE_BLOCKED"));
    let rules: Vec<_> = opened.snapshot.rules().iter().collect();
    assert_eq!(rules, [(&"ruleset".to_owned(), &"2026-11-01".to_owned())]);
    let sealed: Value = serde_json::from_str(opened.contents.output().unwrap()).unwrap();
    assert_eq!(sealed, refused["error"]);
    let records = recorded(&setup.ledger).await;
    assert_eq!(records[0].evidence.as_deref(), Some(&*id.to_string()));
    assert!(records[0].evidence_digest.is_some());
}

#[tokio::test]
async fn a_write_that_was_refused_is_answered_again_with_the_same_evidence() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let first = answer(&runtime, "order", "{}", Some("key-1")).await;
    let again = answer(&runtime, "order", "{}", Some("key-1")).await;
    assert_eq!(
        (&first["error"]["code"], &again["meta"]["replayed"]),
        (&json!("OUT_OF_STOCK"), &json!(true))
    );
    assert!(id(&first).is_some());
    assert_eq!(id(&first), id(&again));
}

#[tokio::test]
async fn a_failure_that_is_not_the_tools_own_leaves_no_evidence() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    for arguments in [r#"{"sku":"panic"}"#, r#"{"sku":[]}"#, "{"] {
        let failed = answer(&runtime, "check_item", arguments, None).await;
        assert_eq!((&failed["status"], id(&failed)), (&json!("error"), None), "{arguments}");
    }
}

#[tokio::test]
async fn a_refusal_without_evidence_is_delivered_with_a_warning() {
    let setup = EvidenceSetup::new();
    let vault = Vault::new(Broken(MemoryStore::new(), Woe::Fails), ring());
    let runtime = runtime(&setup, EvidenceKeeper::new(vault, &setup.ledger));
    let refused = answer(&runtime, "check_item", STONE, None).await;
    assert_eq!(refused["error"]["code"], "COMPLIANCE_BLOCKED");
    assert_eq!(
        refused["meta"]["warnings"],
        json!(["the evidence of this answer could not be kept"])
    );
}

#[tokio::test]
async fn a_replay_of_a_refusal_says_that_it_is_refused_still() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    answer(&runtime, "check_item", STONE, None).await;
    let replay = Replay::new(&runtime, &setup.ledger, access()).vault(setup.keeper.vault());
    let report = serde_json::to_value(replay.run("trace-1").await.unwrap()).unwrap();
    assert_eq!(report["calls"][0]["verdict"]["verdict"], "same");
}
