//! Evidence of answers, its storage, and failures of the vault.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::DateTime;
use serde_json::{Value, json};
use tool_runtime::EvidenceRecorder;
use tool_runtime::contracts::EvidenceSource;
use tool_runtime::evidence::{
    ContentsPart, EvidenceErrorKind, EvidenceKeeper, EvidenceStore, ListedSnapshot, Sealing,
    SnapshotId, SnapshotQuery, StoredSnapshot, TenantKey, Vault, WrappedKey, async_trait,
};
use tool_runtime::ledger::RecordedOrigin;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, StoreError, StoreErrorKind, UnixMillis};

use super::{EvidenceSetup, TENANT, access, cx_of};
use crate::ledger::{recorded, ring};
use crate::support::envelope;

/// Quotes a price.
#[ai_tool(effect = "read", version = "1.2.0", ttl = "60s", evidence)]
async fn quote(
    evidence: &EvidenceRecorder,
    /// The article.
    sku: String,
    /// Whom it is for.
    #[arg(pii, default)]
    email: String,
) -> usize {
    let ts = DateTime::from_timestamp_millis(1_700_000_000_000).unwrap();
    evidence.source(EvidenceSource::new("index", "prices", "sha256:00", ts).unwrap());
    evidence.rule("compliance.policy_ruleset_version", "2026-11-01");
    let _ = email;
    100 * sku.len()
}

/// Orders an article.
#[ai_tool(effect = "write", evidence)]
async fn order(orders: &AtomicU32, dry_run: &DryRun) -> u32 {
    let _ = dry_run;
    orders.fetch_add(1, Ordering::SeqCst) + 1
}

fn runtime(setup: &EvidenceSetup, keeper: EvidenceKeeper) -> Runtime {
    let builder =
        Runtime::builder().tool::<QuoteTool>().tool::<OrderTool>().state(AtomicU32::new(0));
    let builder = builder.permission("order", Permission::Allow).policy(Policy::new());
    builder.ledger(&setup.ledger).evidence(keeper).build().unwrap()
}

const ARTICLE: &str = r#"{"sku":"A-1"}"#;

async fn answer(runtime: &Runtime, tool: &str, arguments: &str) -> Value {
    envelope(runtime.call(tool, arguments, &cx_of(TENANT)).execute().await)
}

fn id(answer: &Value) -> SnapshotId {
    let id = answer["meta"]["evidence"]["snapshot_id"].as_str();
    id.unwrap_or_else(|| panic!("no evidence: {answer}")).parse().unwrap()
}

#[tokio::test]
async fn an_answer_names_its_snapshot_and_that_says_what_the_ledger_says() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone().build_hash("commit-17"));
    let arguments = r#"{"sku":"A-1","email":"jane@example.com"}"#;
    let found = answer(&runtime, "quote", arguments).await;
    let id = id(&found);
    let records = recorded(&setup.ledger).await;
    assert_eq!(records[0].evidence.as_deref(), Some(&*id.to_string()));

    let opened = setup.keeper.vault().read(TENANT, id, &access()).await.unwrap();
    let snapshot = &opened.snapshot;
    assert_eq!((snapshot.tool(), snapshot.version()), ("quote", "1.2.0"));
    assert_eq!((snapshot.build(), snapshot.trace_id()), (Some("commit-17"), "trace-1"));
    let rule = snapshot.rules().get("compliance.policy_ruleset_version").map(String::as_str);
    assert_eq!(rule, Some("2026-11-01"));
    assert_eq!((snapshot.sources().len(), snapshot.sources()[0].name()), (1, "prices"));
    assert_eq!(snapshot.input_hash(), records[0].input_hash.as_deref());
    assert_eq!(snapshot.output_hash(), records[0].output_hash.as_deref());
    assert!(snapshot.input_hash().unwrap().starts_with("hmac-sha256:"), "it may be guessed");
    let summary = snapshot.input_summary().unwrap();
    assert!(summary.contains("A-1") && !summary.contains("jane@"), "{summary}");
    let sealed: Value = serde_json::from_str(opened.contents.arguments().unwrap()).unwrap();
    assert_eq!(sealed, json!({ "sku": "A-1", "email": "jane@example.com" }));
    assert_eq!(opened.contents.output(), Some("300"));

    let sources = found["meta"]["evidence"]["sources"].as_array().unwrap();
    let names: Vec<_> = sources.iter().map(|it| (&it["type"], &it["name"])).collect();
    assert_eq!(names, [(&json!("tool"), &json!("quote")), (&json!("index"), &json!("prices"))]);
    assert_eq!(sources[0]["hash"].as_str(), snapshot.output_hash());
}

#[tokio::test]
async fn a_dry_run_of_a_read_leaves_its_proof_and_its_record() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let dry = cx_of(TENANT).with_dry_run(true);
    let found = envelope(runtime.call("quote", ARTICLE, &dry).execute().await);
    assert_eq!(found["data"], 300, "a read ignores the flag: {found}");
    let id = id(&found);
    assert!(setup.keeper.vault().find(TENANT, id, &access()).await.unwrap().is_some());
    let records = recorded(&setup.ledger).await;
    assert!(records[0].dry_run);
    assert_eq!(records[0].evidence.as_deref(), Some(&*id.to_string()));
    let snapshot = setup.keeper.vault().find(TENANT, id, &access()).await.unwrap().unwrap();
    assert_eq!(records[0].output_hash.as_deref(), snapshot.output_hash());

    let found = envelope(runtime.call("order", "{}", &dry).execute().await);
    assert!(found["meta"]["evidence"].is_null(), "nothing was ordered: {found}");
}

#[tokio::test(start_paused = true)]
async fn evidence_of_hostile_arguments_is_kept() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    for (cards, kept) in [(300, "[card] [card]"), (10_000, r#""[200000 bytes left out]""#)] {
        let sku = "4111 1111 1111 1111 ".repeat(cards);
        let found = answer(&runtime, "quote", &json!({ "sku": sku }).to_string()).await;
        assert_eq!(found["meta"]["warnings"], Value::Null, "{:?}", found["meta"]);
        let opened = setup.keeper.vault().read(TENANT, id(&found), &access()).await.unwrap();
        let summary = opened.snapshot.input_summary().unwrap();
        assert!(summary.contains(kept) && !summary.contains("1111"), "{cards} cards");
        assert!(summary.len() < 8 * 1024, "{} bytes", summary.len());
    }
}

#[tokio::test]
async fn without_a_build_a_snapshot_has_the_hash_of_the_tools_source() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let id = id(&answer(&runtime, "quote", ARTICLE).await);
    let snapshot = setup.keeper.vault().find(TENANT, id, &access()).await.unwrap().unwrap();
    assert!(snapshot.build().is_some_and(|build| build.len() >= 16), "{:?}", snapshot.build());
}

#[tokio::test]
async fn a_snapshot_seals_the_requested_parts() {
    let kinds: [(Sealing, &[ContentsPart]); 3] = [
        (Sealing::Nothing, &[]),
        (Sealing::Arguments, &[ContentsPart::Arguments]),
        (Sealing::Everything, &[ContentsPart::Arguments, ContentsPart::Output]),
    ];
    for (sealing, parts) in kinds {
        let setup = EvidenceSetup::new();
        let runtime = runtime(&setup, setup.keeper.clone().sealing(sealing));
        let id = id(&answer(&runtime, "quote", ARTICLE).await);
        let opened = setup.keeper.vault().read(TENANT, id, &access()).await.unwrap();
        assert_eq!(opened.snapshot.sealed(), parts);
        let arguments = parts.contains(&ContentsPart::Arguments).then_some(ARTICLE);
        let output = parts.contains(&ContentsPart::Output).then_some("300");
        // A value that was filled in by a default is an argument too.
        assert_eq!(opened.contents.arguments().is_some(), arguments.is_some());
        assert_eq!(opened.contents.output(), output);
    }
}

#[tokio::test]
async fn an_answer_from_the_cache_or_an_earlier_call_names_the_first_snapshot() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let quotes =
        [answer(&runtime, "quote", ARTICLE).await, answer(&runtime, "quote", ARTICLE).await];
    assert_eq!(id(&quotes[0]), id(&quotes[1]));
    let keyed = || {
        let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
        cx.idempotency_key("key-1").build().unwrap()
    };
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(id(&envelope(runtime.call("order", "{}", &keyed()).execute().await)));
    }
    assert_eq!(ids[0], ids[1]);

    let records = recorded(&setup.ledger).await;
    let origins: Vec<_> = records.iter().map(|it| it.origin).collect();
    let own = RecordedOrigin::Call;
    assert_eq!(origins, [own, RecordedOrigin::Cache, own, RecordedOrigin::Replay]);
    assert_eq!(records[0].evidence, records[1].evidence);
    assert_eq!(records[2].evidence, records[3].evidence);
    assert!(records[0].evidence != records[2].evidence && records[0].evidence.is_some());
    let query = SnapshotQuery::new(TENANT);
    let page = setup.keeper.vault().list(&query, None, 10, &access()).await.unwrap();
    assert_eq!((page.snapshots.len(), page.next), (2, None));
}

#[test]
fn a_tool_that_requires_evidence_needs_a_keeper() {
    let error = Runtime::builder().tool::<QuoteTool>().build().unwrap_err().to_string();
    assert!(error.contains("`quote` has to leave evidence"), "{error}");
}

#[tokio::test]
async fn looking_at_evidence_is_recorded_first_and_refused_where_it_cannot_be() {
    let setup = EvidenceSetup::new();
    let runtime = runtime(&setup, setup.keeper.clone());
    let id = id(&answer(&runtime, "quote", ARTICLE).await);
    let vault = setup.keeper.vault();
    vault.read(TENANT, id, &access()).await.unwrap();
    let elsewhere = Uuid::from_u128(8);
    let error = vault.read(elsewhere, id, &access()).await.unwrap_err();
    assert_eq!(error.kind(), EvidenceErrorKind::NotFound);
    let told = setup.accesses();
    assert_eq!(told[0], ("read".to_owned(), "done".to_owned()));
    assert!(told.len() == 2 && told[1].1.starts_with("failed: "), "{told:?}");

    setup.kept.fail(true);
    let error = vault.read(TENANT, id, &access()).await.unwrap_err();
    assert_eq!(error.kind(), EvidenceErrorKind::Unrecorded);
    let error = vault.shred(TENANT, &access()).await.unwrap_err();
    assert_eq!(error.kind(), EvidenceErrorKind::Unrecorded);
    setup.kept.fail(false);
    vault.read(TENANT, id, &access()).await.expect("nothing was destroyed");
    setup.check_chain();
}

/// The failure of a vault's store.
#[derive(Debug, Clone, Copy)]
pub(super) enum Woe {
    Fails,
    Hangs,
    Panics,
}

/// A store that keeps no snapshots.
pub(super) struct Broken(pub(super) MemoryStore, pub(super) Woe);

#[async_trait]
impl EvidenceStore for Broken {
    async fn put_snapshot(&self, _: StoredSnapshot) -> Result<bool, StoreError> {
        match self.1 {
            Woe::Fails => Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is gone")),
            Woe::Hangs => pending().await,
            Woe::Panics => panic!("the vault breaks"),
        }
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        self.0.find_snapshot(tenant, id).await
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        self.0.list_snapshots(query, after, limit).await
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.0.sweep_snapshots(before, limit).await
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        self.0.add_tenant_key(key).await
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        self.0.find_tenant_key(tenant, version).await
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        self.0.newest_tenant_key(tenant).await
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        self.0.list_tenant_keys(not_by, after, limit).await
    }

    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError> {
        self.0.rewrap_tenant_key(was, now).await
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.0.destroy_unused_tenant_keys(tenant).await
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.0.destroy_tenant_keys(tenant).await
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        self.0.list_data_keys(tenant, before_version, after, limit).await
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.0.rewrap_data_key(tenant, id, was, now, checksum).await
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_proof_cannot_be_kept_is_delivered_with_a_warning() {
    for woe in [Woe::Fails, Woe::Hangs, Woe::Panics] {
        let setup = EvidenceSetup::new();
        let vault = Vault::new(Broken(MemoryStore::new(), woe), Arc::new(ring()));
        let runtime = runtime(&setup, EvidenceKeeper::new(vault, &setup.ledger));
        let found = answer(&runtime, "order", "{}").await;
        assert_eq!((&found["data"], found["meta"].get("evidence")), (&json!(1), None), "{woe:?}");
        let warnings = found["meta"]["warnings"].to_string();
        assert!(warnings.contains("the evidence of this answer could not be kept"), "{woe:?}");
        assert!(!warnings.contains("disk") && !warnings.contains("breaks"), "{warnings}");
        let records = recorded(&setup.ledger).await;
        assert_eq!((records[0].final_status, &records[0].evidence), (CallStatus::Executed, &None));
    }
}
